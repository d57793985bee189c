"""A web server that handles request number N as its script says, and logs what it did.

    target.py CASE LOG

The number is the last part of the path, as in /n/17. CASE is JSON, with a member `script`:

    {"shares": [[90, 0], [10, 50]], "rules": [{"every": 20, "at": 7, "do": "silent"}],
     "stall": {"after_ms": 1000, "lasts_ms": 700}}

`shares` are percentages and delays in milliseconds, mixed over every hundred numbers. The first rule that matches a
number decides what is done: `200` or `503` (after the delay, or after the rule's own `delay_ms`), `silent` (never
answer) or `close` (close the connection without an answer). `every` and `at` match numbers with the remainder `at`,
`first` and `last` a range. During the stall, whose times count from the first request, nothing is answered; waiting
requests are answered when it is over.

LOG has a line for each request: number, time received, delay in microseconds, what was done, time answered (0 if
never). Times are nanoseconds of the monotonic clock. The port is printed on standard output. The server ends when
standard input ends.
"""

import asyncio
import json
import sys
import time


def now():
    """Nanoseconds of the monotonic clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


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


class Server:
    """The state that all connections share: the script, the log and the time of the first request."""

    def __init__(self, script, log):
        self.script = script
        self.log = log
        self.first = None

    def held_until(self, moment):
        """When a request that is due to be answered at `moment` is answered, given the stall."""
        stall = self.script.get("stall")
        if stall is None:
            return moment
        begins = self.first + stall["after_ms"] * 1_000_000
        ends = begins + stall["lasts_ms"] * 1_000_000
        return ends if begins <= moment < ends else moment

    def note(self, number, received, delay, what, answered):
        """Writes a line of the log."""
        self.log.write(f"{number} {received} {delay} {what} {answered}\n")

    async def serve(self, reader, writer):
        """Serves one connection, one request after the other."""
        try:
            while await self.exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    async def exchange(self, reader, writer):
        """Serves one request. Returns whether another one may follow on the connection."""
        head = await reader.readuntil(b"\r\n\r\n")
        received = now()
        self.first = self.first or received
        number = int(head.split(b" ", 2)[1].rsplit(b"/", 1)[1])
        what, delay = fate(self.script, number)
        if what == "silent":
            self.note(number, received, 0, what, 0)
            await reader.read()
            return False
        if what == "close":
            self.note(number, received, 0, what, now())
            return False
        until = self.held_until(received + delay * 1000)
        left = until - now()
        if left > 0:
            await asyncio.sleep(left / 1e9)
        # On a busy machine the task may wake up during the stall, although the answer was due before it.
        while (until := self.held_until(now())) > now():
            await asyncio.sleep((until - now()) / 1e9)
        status = b"200 OK" if what == "200" else b"503 Service Unavailable"
        answered = now()
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
        self.note(number, received, delay, what, answered)
        return True


async def main():
    """Serves until standard input ends."""
    with open(sys.argv[1], encoding="utf-8") as file:
        script = json.load(file)["script"]
    with open(sys.argv[2], "w", encoding="ascii") as log:
        server = Server(script, log)
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=1024)
        print(listening.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
