"""Amounts as people read them: each kind is written in one way, and what is not known is said so."""

from __future__ import annotations

from math import ceil, isclose

from stack.control.tiers import size

UNKNOWN = "unknown"
PERCENT = "%.1f %%"
"""How a table writes `hundredths`, in printf's words."""
FINE_PERCENT = "%.2f %%"
"""The same where the next decimal decides: an objective is met or not."""
_TENTH = 0.1  # per cent are told no finer
_IN_SECONDS = 120  # up to which a time is told in seconds
_STEPS = ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"))


def number(value: float | None, form: str = "{:.2f}") -> str:
    """`value` in `form`, or the word unknown."""
    return UNKNOWN if value is None else form.format(value)


def duration(seconds: float | None) -> str:
    """A time that was measured, in three digits: 340 ms, 4.20 s, 75.0 s; beyond two minutes as `age`."""
    if seconds is None:
        return UNKNOWN
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds >= _IN_SECONDS:
        return age(seconds)
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:.0f} s"


def age(seconds: float | None) -> str:
    """For how long something is so already, in whole units: 75 s, 12 min, 3 h 20 min, 2 d 5 h."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, round(seconds))
    for large, unit, small, part in _STEPS:
        if whole >= large:
            rest = whole % large // small
            return f"{whole // large} {unit}" + (f" {rest} {part}" if rest else "")
    return f"{whole} s" if whole < _IN_SECONDS else f"{whole // 60} min"


def ago(seconds: float | None) -> str:
    """When something was, as seen from now."""
    return UNKNOWN if seconds is None else f"{age(seconds)} ago"


def memory(amount: float | None) -> str:
    """Bytes as GiB or MiB."""
    return UNKNOWN if amount is None else size(round(amount))


def percent(ratio: float | None) -> str:
    """A ratio from 0 to 1 as per cent, with a decimal near either end: little is not none, and nearly all is not all."""
    if ratio is None:
        return UNKNOWN
    share = 100.0 if isclose(ratio, 1.0) else ratio * 100
    if 0 < share < _TENTH:
        return f"< {_TENTH} %"
    if 100 - _TENTH < share < 100:
        return f"> {100 - _TENTH} %"
    tenths = round(share, 1)
    return f"{tenths:g} %" if 0 < tenths < 10 or 99 < tenths < 100 else f"{share:.0f} %"


def at_most(ratio: float | None) -> str:
    """A bound from above of a ratio, as per cent to the hundredth, and rounded up: so it stays one."""
    return UNKNOWN if ratio is None else f"≤ {ceil(round(ratio * 10_000, 3)) / 100:g} %"


def hundredths(ratio: float | None) -> float | None:
    """A ratio as a table holds it, which sorts by numbers and writes them as `PERCENT`."""
    return None if ratio is None else 100 * ratio
