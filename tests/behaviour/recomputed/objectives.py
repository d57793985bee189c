"""How an objective has to come out, by what the guide says of objectives, from what the log says of the run.

What failed, timed out or was dropped is infinitely late; what was in flight when the run ended took at least as long
as it had waited. Where that leaves both outcomes possible the objective is undecided.
"""

import math
import operator
import re
from fractions import Fraction

SIGNS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}
NANOS = {"us": 1e3, "ms": 1e6, "s": 1e9}


def figure(name, unit, check):
    """The least and the most that a figure can be, in the unit of the objective; none if nothing succeeded."""
    exchanges, length = check.steady, check.record["rates"]["seconds"]
    of = lambda *ends: sum(each.end in ends for each in exchanges)
    share = 100 / len(exchanges) if unit == "%" else 1
    asked = check.case.get("rate") or len(exchanges) / length
    rate = 100 / asked / length if unit == "%" else 1 / length
    plain = {
        "errors": share * of("failed", "timed_out", "cut_off", "dropped"),
        "timeouts": share * of("timed_out"),
        "dropped": share * of("dropped"),
        "ok": share * of("ok"),
        "count": of("ok", "failed", "timed_out"),
        "achieved": rate * sum(each.did in ("200", "503") and each.end in ("ok", "failed") for each in exchanges),
        "goodput": rate * of("ok"),
        "offered": rate * len(exchanges),
    }
    if name in plain:
        return plain[name], plain[name]
    if of("ok") == 0:
        return None
    basis, rest = re.fullmatch(r"(?:(ok|service)\.)?(.*)", name).groups()
    least, most = times(basis, exchanges)
    return tuple(statistic(rest, each) / NANOS[unit] for each in (least, most))


def times(basis, exchanges):
    """All times with what has no answer at its least, and at its most."""
    fine = [each for each in exchanges if each.end == "ok"]
    if basis == "ok":
        known = [each.ended - each.due for each in fine]
        return known, known
    start = "received" if basis == "service" else "due"
    if basis == "service":
        known = [each.ended - each.received for each in exchanges if each.ended is not None]
        bounds = [each.bound - each.received for each in exchanges if each.bound is not None]
        return known + bounds, known + [math.inf] * len(bounds)
    known = [each.ended - each.due for each in fine]
    bounds = [each.bound - getattr(each, start) for each in exchanges if each.end == "cut_off"]
    endless = [math.inf] * (len(exchanges) - len(known) - len(bounds))
    return known + bounds + endless, known + [math.inf] * len(bounds) + endless


def statistic(name, values):
    """A percentile by rank, or the mean or greatest."""
    if name == "mean":
        return sum(values) / len(values)
    if name == "max":
        return max(values)
    rank = max(1, math.ceil(Fraction(name[1:]) / 100 * len(values)))
    return sorted(values)[rank - 1]


def outcome(expression, check):
    """`met`, `missed` or `undecided`."""
    name, sign, limit, unit = re.fullmatch(r"([a-z0-9.]+)(<=|>=|==|<|>)([0-9.]+)(us|ms|s|%|/s)?", expression).groups()
    reach = figure(name, unit, check)
    if reach is None:
        return "missed"
    holds = [SIGNS[sign](value, float(limit)) for value in reach]
    if all(holds):
        return "met"
    return "undecided" if any(holds) else "missed"
