"""How long work waits in front of a pool: M/G/c, approximated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Queue:
    """`utilisation` is the part of the pool that is busy. In the long run a piece of work waits `wait` seconds on average, and
    `waiting` pieces do at any time; None at a utilisation of 1 and more: then it grows for ever.
    """

    utilisation: float
    wait: float | None
    waiting: float | None


def queue(per_second: float, seconds: Sequence[float], servers: int) -> Queue:
    """Of `per_second` arrivals at random, each taking one of `servers` (at least 1) for a time distributed as `seconds` are.

    Erlang's C times half of one plus the squared coefficient of variation (Lee and Longton, Operational Research Quarterly 10,
    1959): exact for one server (Pollaczek and Khinchine), within some percent for more.
    """
    if not seconds or per_second <= 0:
        return Queue(0.0, 0.0, 0.0)
    mean = sum(seconds) / len(seconds)
    offered = per_second * mean
    utilisation = offered / servers
    if utilisation >= 1:
        return Queue(utilisation, None, None)
    if mean <= 0:
        return Queue(0.0, 0.0, 0.0)
    variation = sum((each - mean) ** 2 for each in seconds) / len(seconds) / mean**2
    wait = _erlang_c(servers, offered) * mean / (servers - offered) * (1 + variation) / 2
    return Queue(utilisation, wait, per_second * wait)


def _erlang_c(servers: int, offered: float) -> float:
    """The probability of having to wait, where service times are exponential; `offered` is below `servers`."""
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = offered * blocked / (number + offered * blocked)
    return blocked / (1 - offered / servers * (1 - blocked))
