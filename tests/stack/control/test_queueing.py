"""Waiting is exact where it is known exactly."""

from __future__ import annotations

import random
from heapq import heapreplace

import pytest

from stack.control.queueing import Queue, queue


def test_one_server_with_equal_work_waits_half_as_long_as_with_exponential_work() -> None:
    line = queue(0.5, [1.0] * 10, 1)
    assert (line.utilisation, line.wait, line.waiting) == pytest.approx((0.5, 0.5, 0.25))  # Pollaczek and Khinchine, by hand


def test_varied_work_waits_longer() -> None:
    line = queue(0.5, [0.0, 2.0], 1)  # the squared coefficient of variation is 1, as that of exponential work
    assert line.wait == pytest.approx(1.0)


def test_more_servers_wait_by_erlangs_c() -> None:
    line = queue(1.5, [0.0, 2.0], 2)  # two servers, offered 1.5: Erlang's C is 9/14
    assert (line.utilisation, line.wait) == pytest.approx((0.75, 9 / 14 / 0.5))


@pytest.mark.parametrize("per_second", [2.0, 3.0])
def test_a_saturated_pool_has_no_mean_wait(per_second: float) -> None:
    assert queue(per_second, [1.0], 2) == Queue(per_second / 2, None, None)


def test_nothing_to_do_does_not_wait() -> None:
    assert queue(0.0, [1.0], 1) == queue(5.0, [], 1) == queue(5.0, [0.0], 1) == Queue(0.0, 0.0, 0.0)


@pytest.mark.parametrize(("servers", "per_second"), [(1, 0.7), (3, 2.4)])
def test_it_is_near_what_a_simulation_says(servers: int, per_second: float) -> None:
    draw = random.Random(4)
    work = [draw.lognormvariate(-0.5, 1.0) for _ in range(30_000)]  # one second each on average
    free, now, waited = [0.0] * servers, 0.0, 0.0
    for seconds in work:
        now += draw.expovariate(per_second)
        begin = max(now, free[0])
        waited += begin - now
        heapreplace(free, begin + seconds)
    assert queue(per_second, work, servers).wait == pytest.approx(waited / len(work), rel=0.15)
