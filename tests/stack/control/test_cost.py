"""A token costs what ready engines cost meanwhile, or nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stack.control.cost import UNPRICED, Cost, Prices, cost, unpriced
from stack.control.readiness import Readiness, ready
from stack.control.sample import Answer
from stack.control.state import ModelState, Pools, PoolState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool
from tests.stack.control.samples import FLEET, member
from tests.stack.control.traffic import requests

PRICED = PoolState(gpu_hour_price=3.0, gpus_per_engine=2)
SAMPLES = [replace(one, prompt_tokens=950, output_tokens=50) for one in requests(361, begin=1_000.0, every=10.0)]  # one hour
PRICES = Prices.of(ModelState(pools=Pools(prefill=PRICED, decode=PRICED)))


def noted(*notes: tuple[float, int | None, int | None]) -> Readiness:
    readiness = Readiness()
    for at, prefill, decode in notes:
        readiness.note(at, {Pool.PREFILL: prefill, Pool.DECODE: decode})
    return readiness


def test_engine_hours_times_price_over_tokens() -> None:
    got = cost(SAMPLES, PRICES, noted((900.0, 1, 1), (1_000.0 + 1_800.0, 1, 2)))
    assert got.engine_hours == {Pool.PREFILL: pytest.approx(1.0), Pool.DECODE: pytest.approx(1.5)}
    assert got.tokens == 361_000
    assert got.per_million_tokens == pytest.approx(2.5 * 6.0 / 0.361)


def test_a_pool_without_engines_needs_no_price() -> None:
    prices = Prices.of(ModelState(pools=Pools(decode=PRICED)))
    assert cost(SAMPLES, prices, noted((900.0, 0, 1))).per_million_tokens == pytest.approx(6.0 / 0.361)
    assert cost(SAMPLES, prices, noted((900.0, 1, 1))).unknown == "no gpu_hour_price is configured for prefill"


def test_what_is_not_known_costs_nobody_knows_what() -> None:
    known = noted((900.0, 1, 1))
    assert cost(SAMPLES, Prices.of(ModelState()), known) == UNPRICED
    assert cost(SAMPLES[:5], PRICES, known) == Cost(unknown="too few samples: 5 of at least 30")
    never = (noted(), noted((9_000.0, 1, 1)), noted((900.0, 1, 1), (4_000.0, None, 1)))
    for readiness, few in (*((each, 0) for each in never), (noted((4_400.0, 1, 1)), 21)):
        why = f"too few samples while it was known how many engines were ready: {few} of at least 30"
        assert cost(SAMPLES, PRICES, readiness).unknown == why
    silent = [*SAMPLES, replace(SAMPLES[0], output_tokens=None)]
    assert cost(silent, PRICES, known).unknown == "some answers do not tell how many tokens they had"
    failed = [replace(one, answer=Answer.FAILED) for one in SAMPLES]
    assert cost(failed, PRICES, known).unknown == "no token was served"


def test_only_the_time_counts_in_which_readiness_was_known() -> None:
    got = cost(SAMPLES, PRICES, noted((900.0, 1, 1), (2_000.0, None, 1), (2_800.0, 1, 1)))
    assert got.engine_hours == {Pool.PREFILL: pytest.approx(0.5), Pool.DECODE: pytest.approx(0.5)}
    assert got.tokens == 181_000


def test_engines_are_ready_when_somebody_says_so() -> None:
    assert ready(FLEET, "smollm2") == {Pool.PREFILL: 1, Pool.DECODE: 2}
    down = member("decode-1", State.DOWN, health=Health.NOT_READY)
    starting = member("decode-2", State.JOINING, starting=True)
    assert ready([FLEET[1], down, starting, member("decode-9", model="other")], "smollm2") == {Pool.PREFILL: 0, Pool.DECODE: 1}
    assert ready([*FLEET, member("decode-3", State.JOINING)], "smollm2") == {Pool.PREFILL: 1, Pool.DECODE: None}


def test_prices_change_nothing_else() -> None:
    assert unpriced(ModelState(pools=Pools(decode=PRICED))) == unpriced(ModelState())
    assert unpriced(ModelState(strategy="session")) != unpriced(ModelState())
