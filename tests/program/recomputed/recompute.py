"""Computes the figures of a run from its schedule and the log of its target, and compares them with brunt's record.

    recompute.py CASE LOG RECORD CODE

CODE is the exit code of brunt. CASE says what was requested, see `Schedule`. LOG has a line for each request that the
target got: its number, when it was received, the delay in microseconds, what was done, and when it was answered (0 if
never), in nanoseconds. Nothing here reads a histogram of brunt: all figures are computed from the log. Every mismatch is
a line on standard output. The exit code is 1 if anything differs, but 2 if times are longer than the log says or the
target itself woke up late: a busy machine can cause that in one run, though not in every run, and it may then also
affect counts and objectives.

A time in the record lasts from before the request was received until after it was answered. It is therefore never less
than the time in the log, and exceeds it by the time to transfer request and answer. How long that may be is estimated
from how late the target itself woke up. Counts, shares, ranks and which figures are bounds have no such tolerance.
"""

import json
import math
import sys
from fractions import Fraction
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from objectives import outcome
from rates import Rates
from fate import fate

INFINITY = math.inf
MS = 1_000_000
# How much loopback and two event loops may add on a busy machine: to a single time, and to the mean of all times. The
# delays of a script differ by at least twice the former, so that neighbouring ranks cannot be confused.
CARRIED_NS = 20 * MS
MEAN_NS = 4 * MS
# What it adds where the time of a case is virtual: nothing, but for how a time is written.
WRITTEN_NS = 2_000
# How late brunt may notice that an exchange has timed out, or that its own waiting is over: it checks periodically.
LOOKED_NS = 60 * MS
ENDS = ("ok", "failed", "timed_out", "cut_off", "dropped")


class Schedule:
    """When each exchange is due, computed from the case alone.

    `stages` are `[phase, rate at the beginning, rate at the end, seconds]`, in order. Exchange number N is due when the
    integral of the rate is N. A closed run has `closed` instead: `[phase, seconds]`, in order.
    """

    def __init__(self, case):
        self.phases = []
        self.due = []
        begins = Fraction(0)
        for phase, first, last, seconds in case.get("stages", []):
            self._fill(float(begins), first, last, seconds)
            self._extend(phase, begins, begins + Fraction(str(seconds)))
            begins += Fraction(str(seconds))
        for phase, seconds in case.get("closed", []):
            self._extend(phase, begins, begins + Fraction(str(seconds)))
            begins += Fraction(str(seconds))

    def _fill(self, begins, first, last, seconds):
        count = (first + last) * seconds / 2
        assert count == int(count), "a stage has to hold a whole number of exchanges"
        slope = (last - first) / seconds
        for place in range(int(count)):
            # The solution of first * t + slope * t * t / 2 = place, in the form without cancellation.
            at = 2 * place / (first + math.sqrt(first * first + 2 * slope * place))
            self.due.append(round((begins + at) * 1e9))

    def _extend(self, phase, begins, ends):
        if self.phases and self.phases[-1][0] == phase:
            begins = self.phases.pop()[1]
        self.phases.append((phase, begins, ends))

    def window(self):
        """Beginning and end of the steady phase, in nanoseconds."""
        _, begins, ends = next(phase for phase in self.phases if phase[0] == "steady")
        return int(begins * 10**9), int(ends * 10**9)


class Exchange:
    """The outcome of one exchange. All times are nanoseconds since the first exchange was due."""

    def __init__(self, number, due):
        self.number = number
        self.due = due
        self.end = "dropped"
        self.received = None
        self.ended = None
        self.bound = None
        self.did = None

    def decide(self, did, answered, case, stop):
        """Sets the outcome that brunt must report, given what the target did."""
        self.did = did
        timeout = case.get("timeout_ms", 30_000) * MS
        overdue = self.received + timeout
        if did == "silent" or answered > min(overdue, stop):
            self.end = "timed_out" if overdue < stop else "cut_off"
            self.bound = min(overdue, stop)
        else:
            self.end = "ok" if did == "200" else "failed"
            self.ended = answered


def of_target(case, schedule, lines):
    """Reads the log of a scripted target."""
    for line in lines:
        number, received, delay, did, answered = line.split()
        yield int(number), int(received), int(delay), did, int(answered)


def of_rest(case, schedule, lines):
    """Reads the log of brunt's own web server, whose URLs say how long it sleeps: /sleep?ms=50&n=17."""
    for line in lines:
        entry = json.loads(line)
        query = parse_qs(urlsplit(entry["target"]).query)
        received, delay = entry["time_us"] * 1000, int(query["ms"][0]) * 1000
        yield int(query["n"][0]), received, delay, str(entry["status"]), received + delay * 1000


def of_script(case, schedule, lines):
    """Computes what a server without a log does according to its script, if requests arrive when they are due."""
    for number, due in enumerate(schedule.due):
        did, delay = fate(case["script"], number)
        yield number, due, delay, did, 0 if did == "silent" else due + delay * 1000


READERS = {"target": of_target, "rest": of_rest, "script": of_script}


class Log:
    """The outcome of every exchange, from the log of the target and the schedule."""

    def __init__(self, case, schedule, lines):
        rows = list(READERS[case.get("log", "target")](case, schedule, lines))
        firsts, lasts = {}, {}
        for row in sorted(rows, key=lambda row: row[1]):
            firsts.setdefault(row[0], row)
            lasts[row[0]] = row
        self.received = [row[0] for row in rows]
        # How late the target was after its own delays, which shows how late this machine wakes up a process.
        stall = case["script"].get("stall", {"after_ms": INFINITY})["after_ms"] * MS
        before = [row for row in rows if row[3] in ("200", "503") and row[4] < rows[0][1] + stall]
        self.noise = max((gone - got - delay * 1000 for _, got, delay, _, gone in before), default=0)
        if schedule.due:
            self.origin = min(row[1] - schedule.due[n] for n, row in firsts.items())
            dues = dict(enumerate(schedule.due))
        else:
            self.origin = min(row[1] for row in firsts.values())
            dues = {n: row[1] - self.origin for n, row in firsts.items()}
        stop = case.get("stop_s", INFINITY) * 1e9
        self.exchanges = [Exchange(n, due) for n, due in sorted(dues.items())]
        for exchange in self.exchanges:
            if exchange.number in firsts:
                exchange.received = firsts[exchange.number][1] - self.origin
                row = lasts[exchange.number]
                exchange.decide(row[3], row[4] - self.origin, case, stop)
        self.unasked = sorted(set(firsts) - set(dues))

    def between(self, begins, ends):
        """The exchanges that were due in a span of time."""
        return [exchange for exchange in self.exchanges if begins <= exchange.due < ends]


def tally(exchanges):
    """The number of exchanges by outcome."""
    counts = {end: sum(exchange.end == end for exchange in exchanges) for end in ENDS}
    counts["planned"] = len(exchanges)
    counts["sent"] = len(exchanges) - counts["dropped"]
    return counts


def quantile(known, bounds, percent):
    """The least and greatest possible value of a percentile, by rank."""
    count = len(known) + len(bounds)
    rank = max(1, math.ceil(Fraction(str(percent)) / 100 * count))
    least = sorted(known + bounds)[rank - 1]
    most = sorted(known + [INFINITY] * len(bounds))[rank - 1]
    return least, most


class Check:
    """Compares the record with the log, and collects the differences."""

    def __init__(self, case, schedule, log, record):
        self.case = case
        self.schedule = schedule
        self.log = log
        self.record = record
        self.begins, self.ends = schedule.window()
        self.steady = log.between(self.begins, self.ends)
        self.virtual = case.get("virtual", False)
        self.carried = WRITTEN_NS if self.virtual else CARRIED_NS + log.noise
        self.wrong = []
        self.late = []

    def same(self, what, found, wanted):
        """Checks that two values are equal."""
        if found != wanted:
            self.wrong.append(f"{what}: {found}, the log says {wanted}")

    def near(self, what, found, least, most):
        """Checks that a value is in a range."""
        if found is None or not least <= found <= most:
            self.wrong.append(f"{what}: {found}, the log says {least} to {most}")

    def time(self, what, found, least, most):
        """Checks a time. It is never less than the log says; if it is greater, a busy machine may be the cause."""
        if found is not None and found > most:
            self.late.append(f"{what}: {found}, the log says {least} to {most}")
        else:
            self.near(what, found, least, most)

    def slack(self, *borders):
        """How many exchanges of a closed run may be on either side of a border, given how far times may differ."""
        if self.schedule.due:
            return 0
        near = lambda at: any(abs(at - border) <= self.carried for border in borders)
        return sum(near(exchange.due) for exchange in self.log.exchanges)

    def counts(self, what, found, exchanges, slack=0):
        """Checks the counts of some exchanges."""
        for end, wanted in tally(exchanges).items():
            self.near(f"{what} {end}", found[end], wanted - slack, wanted + slack)

    def latency(self, what, found, known, bounds, slack=0):
        """Checks a distribution: count, mean, minimum, maximum, sum and each percentile."""
        every = known + bounds
        self.near(f"{what} count", found["count"], len(every) - slack, len(every) + slack)
        censored = (found.get("censored") or {"count": 0})["count"]
        self.near(f"{what} bounds", censored, len(bounds) - slack, len(bounds) + slack)
        if not every:
            return
        top = self.carried + (LOOKED_NS if bounds else 0)
        mean = sum(every) / len(every)
        added = (WRITTEN_NS if self.virtual else MEAN_NS + self.log.noise) + LOOKED_NS * len(bounds) / len(every)
        if not slack:
            self.time(f"{what} mean", found["mean_us"] * 1e3, mean - 2_000, mean + added)
            self.time(f"{what} least", found["min_ns"], min(every) - 2_000, min(every) + top)
            self.time(f"{what} greatest", found["max_ns"], max(every) - 2_000, max(every) + top)
            self.near(f"{what} sum", found["sum_ns"] / len(every) / 1e3, found["mean_us"] - 1, found["mean_us"] + 1)
        for entry in found["percentiles"]:
            name = f"{what} p{entry['percentile']:g}"
            least, most = quantile(known, bounds, entry["percentile"])
            self.time(name, entry["us"] * 1e3, least - 2_000, least * 1.001 + top)
            # Two values that differ by less than the tolerance may be in either order.
            if most > least + top or most == least:
                self.same(f"{name} is a bound", entry.get("at_least", False), most > least)

    def totals(self):
        """Checks the counts and times of the steady phase."""
        record, steady = self.record, self.steady
        slack = self.slack(self.begins, self.ends)
        self.counts("counts", record["counts"], steady, slack)
        self.counts("whole run", record["conservation"]["counts"], self.log.exchanges)
        self.same("conservation", record["conservation"]["holds"], True)
        self.same("never asked for", self.log.unasked, [])
        asked = {each.number for each in steady if each.end != "dropped"}
        received = sum(number in asked for number in self.log.received)
        self.same("resent", record["connections"]["resent"], received - len(asked))
        operation = record["operations"][0]
        gone = [exchange for exchange in steady if exchange.received is not None]
        self.counts("operation", {**operation["counts"], "dropped": 0}, gone, slack)
        for name, start in [("response", "due"), ("service", "received")]:
            known = [each.ended - getattr(each, start) for each in gone if each.ended is not None]
            bounds = [each.bound - getattr(each, start) for each in gone if each.ended is None]
            self.latency(name, operation[name], known, bounds, slack)
        fine = [each.ended - each.due for each in gone if each.end == "ok"]
        self.latency("ok", operation.get("ok", operation["response"]), fine, [], slack)
        self.same("dropped", record["dropped_after"]["count"], tally(steady)["dropped"])
        codes = sum(code["count"] for code in operation["codes"] if code["code"] == 503)
        self.same("answers of 503", codes, sum(each.did == "503" for each in steady))

    def rates(self):
        """Checks the window of the steady phase and the rates of what was due and answered in it."""
        found, ends = self.record["rates"], self.ends
        self.same("definition of rates", found["definition"], 2)
        if self.case.get("counted"):
            # Users who do so much each and end: the window lasts until the last answer, in which all is.
            ends = max(each.ended for each in self.steady)
            self.near("window", found["seconds"], ends / 1e9, (ends + self.carried) / 1e9)
            ends += self.carried
        else:
            length = (ends - self.begins) / 1e9
            self.near("window", found["seconds"], length - 1e-6, length + 1e-6)
            self.near("window begins", found["from_s"], self.begins / 1e9 - 1e-6, self.begins / 1e9 + 1e-6)
        rates, slack = Rates(self.steady, self.begins, ends, self.carried), self.slack(self.begins, ends)
        offered = len(self.steady)
        self.rate("offered", offered - slack, offered + slack)
        least, most = rates.late()
        self.near("late", found["late"], least - slack, most + slack)
        if self.schedule.due:
            least, most = rates.normal()
            self.near("normal", (found.get("normal_s") or 0) * 1e9, least - rates.slot, most)
            achieved, goodput = rates.open((found.get("normal_s") or 0) * 1e9)
            self.near("share", found["share"], achieved[0] / offered - 1e-9, achieved[1] / offered + 1e-9)
        else:
            achieved, goodput = rates.closed(self.log.exchanges)
            self.same("share", found.get("share"), None)
        self.rate("achieved", *achieved)
        self.rate("goodput", *goodput)

    def rate(self, name, least, most):
        """Checks a rate by how often something happened in the window."""
        rates = self.record["rates"]
        self.near(name, rates[name] * rates["seconds"], least - 1e-6, most + 1e-6)

    def drops(self):
        """Checks that the response times of the whole run include dropped exchanges, with the time they had waited."""
        dropped = [exchange for exchange in self.steady if exchange.end == "dropped"]
        if not dropped:
            return
        # If the backlog is full, the next exchange is dropped as soon as it is due, without having waited.
        known = [each.ended - each.due for each in self.steady if each.ended is not None]
        bounds = [each.bound - each.due for each in self.steady if each.bound is not None]
        bounds += [0] * len(dropped)
        self.latency("dropped after", self.record["dropped_after"], [], [0] * len(dropped))
        self.latency("response of all", self.record["response"], known, bounds)

    def phases(self):
        """Checks that each phase has the exchanges that were due in it, and that phases do not overlap."""
        found = {phase["name"]: phase for phase in self.record["phases"]}
        for name, begins, ends in self.schedule.phases:
            if name not in found:
                self.wrong.append(f"there is no phase {name}")
                continue
            begins, ends = int(begins * 10**9), int(ends * 10**9)
            inside, slack = self.log.between(begins, ends), self.slack(begins, ends)
            self.counts(f"phase {name}", found[name]["counts"], inside, slack)
            if not self.case.get("counted"):
                self.near(f"phase {name} begins", found[name]["from_s"], begins / 1e9 - 1e-6, begins / 1e9 + 1e-6)
        for one, next_one in zip(self.record["phases"], self.record["phases"][1:]):
            self.same(f"{one['name']} ends where {next_one['name']} begins", one["to_s"], next_one["from_s"])

    def series(self):
        """Checks the steps. By due time, each is exact; by end, an exchange near a border may be on its other side."""
        steps = self.record["series"]
        for view in ("due", "ended"):
            for end in ENDS:
                found, wanted = sum(step[view][end] for step in steps), tally(self.log.exchanges)[end]
                self.same(f"series {view} {end}", found, wanted)
        for step in steps:
            begins, ends = round(step["from_s"] * 1e9), round(step["to_s"] * 1e9)
            name = f"step {step['phase']} {step['from_s']:.3f} to {step['to_s']:.3f}"
            inside = self.log.between(begins, ends) if ends > begins else []
            self.counts(f"{name} due", step["due"], inside, self.slack(begins, ends))
        for phase, begins, ends in self.schedule.phases:
            last = phase == self.schedule.phases[-1][0]
            of_phase = self.log.between(int(begins * 10**9), int(ends * 10**9))
            mine = [step for step in steps if step["phase"] == phase]
            if mine and self.schedule.due:
                self.ended(mine, of_phase, int(ends * 10**9), last)

    def ended(self, steps, exchanges, over, last):
        """Checks what ended in each step of one phase. Exchanges that end after the phase are in steps without a
        length, or in the last step if the phase is the last one."""
        long = [step for step in steps if step["to_s"] > step["from_s"]]
        spans = [([step], round(step["from_s"] * 1e9), round(step["to_s"] * 1e9)) for step in long]
        if last:
            spans[-1] = (spans[-1][0], spans[-1][1], INFINITY)
        else:
            spans.append(([step for step in steps if step not in long], over, INFINITY))
        for found, begins, ends in spans:
            for end in ("ok", "failed", "timed_out", "cut_off"):
                carried = self.carried + (LOOKED_NS if end in ("timed_out", "cut_off") else 0)
                at = [each.bound if each.ended is None else each.ended for each in exchanges if each.end == end]
                least = sum(begins <= moment < ends - carried for moment in at)
                most = sum(begins - carried <= moment < ends for moment in at)
                name = f"{steps[0]['phase']} from {begins / 1e9} to {ends / 1e9} ended {end}"
                count = sum(step["ended"][end] for step in found)
                if not least <= count <= most:
                    self.late.append(f"{name}: {count}, the log says {least} to {most}")

    def objectives(self):
        """Checks that each objective has the outcome that follows from its definition."""
        for found in self.record["slo"]:
            wanted = outcome(found["expr"], self)
            # The log does not show how much brunt itself affected a figure. brunt may say `undecided` for that reason.
            taken_back = found["outcome"] == "undecided" and "generator" in found.get("why", "")
            if not taken_back:
                self.same(f"objective {found['expr']}", found["outcome"], wanted)

    def code(self, found):
        """Checks that the exit code follows from the objectives or, if all of them were met, from the verdict."""
        outcomes = [objective["outcome"] for objective in self.record["slo"]]
        partial = self.record["verdict"]["status"] == "partial"
        wanted = 99 if "missed" in outcomes else 4 if "undecided" in outcomes else 5 if partial else 0
        self.same("exit code", found, wanted)

    def simulation(self):
        """Checks that a simulated queue, with as many sessions and the script's delays, has the same response times.
        If the queue is full, a session that becomes free a moment later than in the simulation takes the next exchange
        instead of this one. The next one has waited less, by the time between the two."""
        within = self.case.get("simulated_within_ms")
        if within is None:
            return
        times = simulate(self.schedule, self.case, self.log.exchanges)
        times = [time for time, each in zip(times, self.log.exchanges) if self.begins <= each.due < self.ends]
        dropped = times.count(None)
        self.near("simulated drops", self.record["counts"]["dropped"], dropped * 0.95, dropped * 1.05)
        times = [time for time in times if time is not None]
        apart = 1e9 / self.case["rate"] if dropped else 0
        for entry in self.record["operations"][0]["response"]["percentiles"]:
            wanted, _ = quantile(times, [], entry["percentile"])
            name = f"simulated p{entry['percentile']:g}"
            self.time(name, entry["us"] * 1e3, wanted - apart - MS, wanted * 1.001 + within * MS + self.log.noise)


def simulate(schedule, case, exchanges):
    """The response times of a first-come-first-served queue, computed without the times of receipt."""
    stall = case["script"].get("stall")
    free = [0] * case["sessions"]
    times, begun = [], []
    for exchange in exchanges:
        if sum(moment > exchange.due for moment in begun) >= case.get("backlog", INFINITY):
            times.append(None)
            continue
        begins = max(exchange.due, min(free))
        ends = begins + fate(case["script"], exchange.number)[1] * 1000
        if stall and stall["after_ms"] * MS <= ends < (stall["after_ms"] + stall["lasts_ms"]) * MS:
            ends = (stall["after_ms"] + stall["lasts_ms"]) * MS
        free[free.index(min(free))] = ends
        begun.append(begins)
        times.append(ends - exchange.due)
    return times


def main():
    """Prints the differences."""
    case, lines, record = (Path(path).read_text(encoding="utf-8") for path in sys.argv[1:4])
    case, record = json.loads(case), json.loads(record)
    schedule = Schedule(case)
    check = Check(case, schedule, Log(case, schedule, lines.splitlines()), record)
    times = (check.totals, check.drops, check.phases, check.series)
    for part in (*times, check.rates, check.objectives, check.simulation):
        part()
    check.code(int(sys.argv[4]))
    print(f"{len(check.steady)} exchanges, the target was up to {check.log.noise / MS:.1f} ms late")
    print("\n".join(check.wrong + check.late))
    held_up = check.late or check.log.noise > CARRIED_NS
    sys.exit(2 if held_up else 1 if check.wrong else 0)


if __name__ == "__main__":
    main()
