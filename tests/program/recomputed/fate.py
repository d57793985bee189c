"""What a scripted target does with request number N.

A script is JSON:

    {"shares": [[90, 0], [10, 50]], "rules": [{"every": 20, "at": 7, "do": "silent"}],
     "stall": {"after_ms": 1000, "lasts_ms": 700}}

`shares` are percentages and delays in milliseconds, mixed over every hundred numbers. The first rule that matches a
number decides what is done: `200` or `503` (after the delay, or after the rule's own `delay_ms`), `silent` (never
answer) or `close` (close the connection without an answer). `every` and `at` match numbers with the remainder `at`,
`first` and `last` a range. During the stall, whose times count from the first request, nothing is answered; waiting
requests are answered when it is over.
"""


def fate(script, number):
    """What is done with request `number`, and after how many microseconds. Depends only on script and number."""
    for rule in script.get("rules", []):
        within = rule.get("first", 0) <= number <= rule.get("last", number)
        if within and number % rule.get("every", 1) == rule.get("at", 0):
            return rule["do"], rule["delay_ms"] * 1000 if "delay_ms" in rule else delay_us(script, number)
    return "200", delay_us(script, number)


def delay_us(script, number):
    """The delay that `shares` gives to a number, in microseconds."""
    place = number * 37 % 100
    for share, millis in script.get("shares", []):
        if place < share:
            return millis * 1000
        place -= share
    return 0
