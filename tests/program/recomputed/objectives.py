"""The expected outcome of an objective, computed from the log of a run by the rules of the guide.

An exchange that failed, timed out or was dropped is infinitely late. One that was in flight when the run ended took at
least as long as it had waited. If both outcomes are possible with that, the objective is undecided.
"""

import math
import operator
import re
from fractions import Fraction

SIGNS = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}
NANOS = {"us": 1e3, "ms": 1e6, "s": 1e9}


def figure(name, unit, check):
    """The least and greatest possible value of a figure, in the objective's unit; None for times if none succeeded."""
    exchanges, length = check.steady, check.record["rates"]["seconds"]
    of = lambda *ends: sum(each.end in ends for each in exchanges)
    share = 100 / len(exchanges) if unit == "%" else 1
    asked = check.case.get("rate") or len(exchanges) / length
    rate = 100 / asked if unit == "%" else 1
    plain = {
        "errors": share * of("failed", "timed_out", "cut_off", "dropped"),
        "timeouts": share * of("timed_out"),
        "dropped": share * of("dropped"),
        "ok": share * of("ok"),
        "count": of("ok", "failed", "timed_out"),
        "offered": rate * len(exchanges) / length,
        # The log says these as ranges, which the record was held against.
        "achieved": rate * check.record["rates"]["achieved"],
        "goodput": rate * check.record["rates"]["goodput"],
    }
    if name in plain:
        return plain[name], plain[name]
    if of("ok") == 0:
        return None
    basis, rest = re.fullmatch(r"(?:(ok|service)\.)?(.*)", name).groups()
    least, most = times(basis, exchanges)
    return tuple(statistic(rest, each) / NANOS[unit] for each in (least, most))


def times(basis, exchanges):
    """All times, with those of unanswered exchanges at their least and at their greatest possible values."""
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
    """A percentile by rank, the mean or the maximum."""
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
