"""The rates of a run, computed from the log of its target: what was answered while the load ran.

An answer is noted by the target before brunt has it, so an answer near an end of the window may count on either side of
it, and each rate is a range. In an open load the rate is that of what was due, times the share that was answered in
time. What is due at the end is answered after it, so answers are counted from `begin + f` to the end, and what was due
from the beginning to `end - f`, where f is how long an answer normally takes: the 99th percentile of service times of
what was due in the first tenth. If both are the same but for chance, and nothing waits at the end, the target kept up,
and the share is what was answered at all. In a closed load a cycle of a user counts with its share inside the window.
"""

import math

MS = 1_000_000
# brunt counts in slots of time, fewer than so many in a window and none narrower, and looks at 16 of them at a time for
# the service times.
SLOTS = 1024
NARROWEST_NS = 1 << 20
FEW_SLOTS = 16
# How exactly brunt knows a service time among those of a few slots.
RESOLUTION = 1.04
# A difference of so many standard deviations is chance.
DEVIATIONS = 3


def answered(each):
    """Whether an exchange was answered, well or not."""
    return each.did in ("200", "503") and each.end in ("ok", "failed")


class Rates:
    """What was due and what was answered in the steady phase, and when."""

    def __init__(self, exchanges, begins, ends, carried):
        self.begins, self.ends, self.carried = begins, ends, carried
        self.due = [each.due for each in exchanges]
        self.lost = [each.due for each in exchanges if not answered(each)]
        self.was_cut = any(each.end == "cut_off" for each in exchanges)
        self.answers = [each for each in exchanges if answered(each)]
        self.slot = NARROWEST_NS
        while (ends - begins) // self.slot >= SLOTS:
            self.slot *= 2

    def late(self):
        """The least and greatest number of answers after the end."""
        at = [each.ended for each in self.answers]
        return sum(end >= self.ends for end in at), sum(end >= self.ends - self.carried for end in at)

    def normal(self):
        """The least and greatest f; 0 if nothing was answered."""
        tenth = self.begins + (self.ends - self.begins) / 10
        candidates = []
        for until in (tenth, tenth + FEW_SLOTS * self.slot):
            took = sorted(each.ended - each.received for each in self.answers if each.due < until)
            if took:
                candidates.append(took[math.ceil(0.99 * len(took)) - 1])
        if not candidates:
            return 0, 0
        half = (self.ends - self.begins) / 2
        most = max(candidates) * RESOLUTION + self.carried
        return min(min(candidates) / RESOLUTION, half), min(most, half)

    def open(self, normal):
        """The least and greatest number of answers and of successes of an open load, given f in nanoseconds."""
        if not self.answers:
            return (0, 0), (0, 0)
        kept = [self._kept_up(normal, added, slots) for added in (0, self.carried) for slots in (-1, 0, 1)]
        whole = [(len(some), len(some)) for some in (self.answers, [each for each in self.answers if each.end == "ok"])]
        # Nobody knows what would have come of what the run gave up, unless that is what would be answered later.
        cut_early = self.was_cut and any(due < self.ends - normal - FEW_SLOTS * self.slot for due in self.lost)
        if all(kept) and not self.was_cut:
            return whole
        partly = self._partly(normal)
        if not any(kept) or cut_early:
            return partly
        return [(min(one + other), max(one + other)) for one, other in zip(whole, partly)]

    def _partly(self, normal):
        """The same of a target that fell behind."""
        begins = self.begins + normal
        sure = [each for each in self.answers if begins <= each.ended < self.ends - self.carried]
        possible = [each for each in self.answers if begins - self.slot - self.carried <= each.ended < self.ends]
        least = len(sure) / self._due_before(self.ends - normal + self.slot)
        most = len(possible) / self._due_before(self.ends - normal - self.slot)
        count, share = len(self.due), (min(least, 1), min(most, 1))
        fine = [sum(each.end == "ok" for each in some) for some in (sure, possible)]
        least_ok = fine[0] / max(len(possible) - fine[1] + fine[0], 1)
        most_ok = fine[1] / max(len(sure) - fine[0] + fine[1], 1)
        return (count * share[0], count * share[1]), (count * share[0] * least_ok, count * share[1] * most_ok)

    def _kept_up(self, normal, added, slots):
        """Whether the target kept up, if each answer came `added` later than it says and the ends of the windows are
        so many slots later: the answers are as many as was due, but for chance, and nothing waits at the end."""
        begins, until = self.begins + normal + slots * self.slot, self.ends - normal + slots * self.slot
        at = [each.ended + added for each in self.answers]
        answerable = [each.due for each in self.answers]
        missing = sum(due < until for due in answerable) - sum(begins <= end < self.ends for end in at)
        in_flight = sum(due < begins for due in answerable) - sum(end < begins for end in at)
        last, first = self._due_before(self.ends) - self._due_before(until), self._due_before(begins)
        mean = in_flight + math.sqrt(in_flight) + 1
        chance = DEVIATIONS * math.sqrt(2 * mean * max(last / first, 1))
        few = FEW_SLOTS * self.slot
        until -= few + (few if slots < 0 else 0)
        waiting = sum(due < until and end >= self.ends for due, end in zip(answerable, at))
        near = sum(until - 2 * normal - few <= due < until for due in answerable)
        return missing <= chance and waiting <= max(near / 100, 1)

    def _due_before(self, moment):
        return max(sum(due < moment for due in self.due), 1)

    def closed(self, exchanges):
        """The same of a closed load without think time, where a cycle lasts as long as its exchange. `exchanges` are
        those of the whole run."""
        every = [self._cycles(each) for each in exchanges if answered(each)]
        fine = [self._cycles(each) for each in exchanges if each.end == "ok"]
        return tuple((sum(least for least, _ in some), sum(most for _, most in some)) for some in (every, fine))

    def _cycles(self, each):
        """The share of an exchange that lies in the window, which is exact unless it is near an end of it."""
        inside = min(each.ended, self.ends) - max(each.due, self.begins)
        share = min(max(inside / max(each.ended - each.due, 1), 0), 1)
        is_far = lambda border: each.ended + self.carried < border or each.due - self.carried > border
        if is_far(self.begins) and is_far(self.ends):
            return share, share
        apart = 2 * self.carried / max(each.ended - each.due, 1)
        return max(share - apart, 0), min(share + apart, 1)
