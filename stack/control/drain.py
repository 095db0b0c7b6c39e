"""Engines on their way out: marked, quiet, removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stack.control.link import RouterReport


@dataclass(frozen=True, slots=True)
class Drain:
    """An engine that takes no new requests.

    `version` is the first router configuration that says so: older reports prove nothing. `quiet_since`
    is when every live router was first seen to have nothing left on it, None while one has, or while
    nobody knows. `removing` from the moment the machinery was told to end it. Times are the clock's seconds.
    """

    name: str
    since: float
    version: int
    quiet_since: float | None = None
    removing: bool = False


def observed(drain: Drain, reports: Sequence[RouterReport], listed: bool, now: float) -> Drain:
    """`drain` after a look at the live routers' last reports. An engine that is not listed gets no requests from anyone."""
    quiet = not listed or (bool(reports) and all(_quiet(drain, report) for report in reports))
    if not quiet:
        return replace(drain, quiet_since=None)
    return drain if drain.quiet_since is not None else replace(drain, quiet_since=now)


def _quiet(drain: Drain, report: RouterReport) -> bool:
    known = {engine.name: engine.in_flight for engine in report.engines}
    return report.version >= drain.version and known.get(drain.name) == 0
