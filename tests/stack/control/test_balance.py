"""What to do about pools and threshold, by the numbers that say so."""

from __future__ import annotations

import msgspec
import pytest

from stack.control.balance import Load, Move, advise
from stack.control.break_even import Band
from stack.control.estimate import Estimate
from stack.control.state import Bounds, Dpd, ModelState
from tests.stack.control.samples import model

CALM = Load(engines=2, waiting=0.0, busy=0.2, used=0.3, queue=0.01, prefill=0.2, computed=1_000.0, preemptions=0.0)
WANTED = model()  # one prefill and two decode engines, a threshold of 512 tokens


def pressed(**fields: float | None) -> Load:
    return Load(**{name: getattr(CALM, name) for name in Load.__dataclass_fields__} | fields)


def band(least: int, low: float, high: float) -> Band:
    none = Estimate(samples=40, value=0.1, low=0.1, high=0.1)
    difference = Estimate(samples=40, value=(low + high) / 2, low=low, high=high)
    return Band(
        least=least, direct=none, disaggregated=none, difference=difference, direct_computed=none, disaggregated_computed=none
    )


def moves(prefill: Load = CALM, decode: Load = CALM, *bands: Band, wanted: ModelState = WANTED) -> list[tuple[Move, int | None]]:
    return [(advice.move, advice.value) for advice in advise(prefill, decode, wanted, bands)]


def test_pools_without_a_queue_need_nothing_and_the_numbers_say_so() -> None:
    (advice,) = advise(CALM, CALM, WANTED, ())
    assert advice.move is Move.NOTHING
    assert advice.evidence[0] == (
        "prefill: 0.00 requests wait for each engine, engines are busy 20% of the time, the fullest one's KV cache is 30% full"
    )


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [
        ({"waiting": 5.0}, "2.5 requests wait for each prefill engine"),
        ({"queue": 0.5}, "a prompt waits 500 ms and is computed in 200 ms: longer in the queue than in work"),
        ({"busy": 0.95}, "prefill engines are busy 95% of the time"),
    ],
)
def test_a_pressed_prefill_pool_gets_an_engine_or_sheds_prompts_where_decode_has_room(
    fields: dict[str, float], evidence: str
) -> None:
    first, second = advise(pressed(**fields), CALM, WANTED, ())
    assert (first.move, first.value, first.evidence) == (Move.MORE_PREFILL, 2, (evidence,))
    assert (second.move, second.value) == (Move.RAISE, 1_024)


def test_where_decode_has_no_room_the_threshold_is_no_way_out() -> None:
    assert moves(pressed(waiting=5.0), pressed(used=0.7)) == [(Move.MORE_PREFILL, 2)]


def test_a_pressed_decode_pool_is_relieved_of_prompts_first_where_prefill_idles() -> None:
    assert moves(CALM, pressed(used=0.95)) == [(Move.LOWER, 256), (Move.MORE_DECODE, 3)]
    assert moves(pressed(busy=0.6), pressed(preemptions=0.5)) == [(Move.MORE_DECODE, 3)]
    always = msgspec.structs.replace(WANTED, dpd=Dpd(routing_threshold=0))
    assert moves(CALM, pressed(waiting=4.0), wanted=always) == [(Move.MORE_DECODE, 3)]


def test_both_pools_may_need_an_engine() -> None:
    assert moves(pressed(waiting=5.0), pressed(used=0.95)) == [(Move.MORE_PREFILL, 2), (Move.MORE_DECODE, 3)]


def test_lengths_for_which_disaggregation_is_surely_slower_raise_the_threshold() -> None:
    assert moves(CALM, CALM, band(512, 0.05, 0.1)) == [(Move.RAISE, 1_024)]
    assert moves(CALM, CALM, band(512, -0.01, 0.1)) == [(Move.NOTHING, None)]
    assert moves(pressed(waiting=5.0), CALM, band(512, 0.05, 0.1)) == [(Move.RAISE, 1_024), (Move.MORE_PREFILL, 2)]


def test_lengths_for_which_it_is_surely_quicker_lower_it() -> None:
    assert moves(CALM, CALM, band(256, -0.2, -0.1)) == [(Move.LOWER, 256)]
    assert moves(CALM, CALM, band(512, -0.2, -0.1)) == [(Move.NOTHING, None)]


def test_a_pool_at_its_bounds_says_so_instead_of_a_number() -> None:
    full = msgspec.structs.replace(WANTED.pools.prefill, bounds=Bounds(max=1))
    wanted = msgspec.structs.replace(WANTED, pools=msgspec.structs.replace(WANTED.pools, prefill=full))
    advice = advise(pressed(waiting=5.0), pressed(used=0.7), wanted, ())[0]
    assert (advice.value, advice.evidence[-1]) == (None, "the pool has 1 engines, which is all that its bounds allow")


def test_what_is_not_known_is_said_instead_of_an_advice() -> None:
    (advice,) = advise(Load(), pressed(used=None), WANTED, ())
    assert advice.move is Move.UNKNOWN
    assert advice.evidence == (
        "prefill: no engine is listed by the exporter",
        "prefill: neither how busy engines are nor how long prompts wait is told",
        "decode: engines do not tell how full their KV cache is",
    )


def test_without_disaggregation_there_is_no_balance() -> None:
    assert moves(CALM, CALM, wanted=model(dpd=False)) == [(Move.UNKNOWN, None)]
