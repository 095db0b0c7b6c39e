"""The phases of a request add up to its time, and nothing unknown is made up."""

import math

from hypothesis import given
from hypothesis import strategies as st

from stack.router.phases import EngineTimes, Phase, Timeline, phases


def test_a_direct_stream_is_queue_prefill_and_decode() -> None:
    times = EngineTimes(queue_seconds=0.5, first_token_seconds=1.25)
    timeline = Timeline(received=10.0, decode_sent=10.25, first_token=12.25, done=16.25, decode=times)
    assert phases(timeline) == {
        Phase.ROUTER: 0.25,
        Phase.DECODE_QUEUE: 0.5,
        Phase.PREFILL: 1.5,
        Phase.DECODE: 4.0,
    }


def test_disaggregation_has_both_queues_and_the_decode_engines_first_step() -> None:
    timeline = Timeline(
        received=0.0,
        prefill_sent=0.25,
        prefill_answered=2.25,
        decode_sent=2.5,
        first_token=3.5,
        done=8.0,
        prefill=EngineTimes(queue_seconds=0.5),
        decode=EngineTimes(queue_seconds=0.75),
    )
    assert phases(timeline) == {
        Phase.ROUTER: 0.5,
        Phase.PREFILL_QUEUE: 0.5,
        Phase.PREFILL: 1.5,
        Phase.DECODE_QUEUE: 0.75,
        Phase.FIRST_STEP: 0.25,
        Phase.DECODE: 4.5,
    }


def test_a_measured_transfer_is_taken_out_of_the_queue_that_hides_it() -> None:
    decode = EngineTimes(queue_seconds=0.75, transfer_seconds=0.5)
    timeline = Timeline(
        received=0.0, prefill_sent=0.0, prefill_answered=1.0, decode_sent=1.0, first_token=2.0, done=3.0, decode=decode
    )
    assert phases(timeline) == {
        Phase.ROUTER: 0.0,
        Phase.PREFILL: 1.0,
        Phase.KV_TRANSFER: 0.5,
        Phase.DECODE_QUEUE: 0.25,
        Phase.FIRST_STEP: 0.25,
        Phase.DECODE: 1.0,
    }


def test_unknown_queues_stay_in_the_next_phase() -> None:
    timeline = Timeline(received=0.0, decode_sent=1.0, first_token=2.0, done=3.0)
    assert phases(timeline) == {Phase.ROUTER: 1.0, Phase.PREFILL: 1.0, Phase.DECODE: 1.0}


def test_an_answer_in_one_piece_takes_the_first_token_from_the_engine() -> None:
    times = EngineTimes(queue_seconds=0.25, first_token_seconds=0.5)
    timeline = Timeline(received=0.0, decode_sent=1.0, done=3.0, decode=times)
    assert phases(timeline) == {Phase.ROUTER: 1.0, Phase.DECODE_QUEUE: 0.25, Phase.PREFILL: 0.5, Phase.DECODE: 1.25}


def test_without_any_sign_of_the_first_token_all_of_it_is_decode() -> None:
    assert phases(Timeline(received=0.0, decode_sent=1.0, done=3.0)) == {Phase.ROUTER: 1.0, Phase.DECODE: 2.0}


def test_a_prefill_leg_in_vain_is_the_routers_time() -> None:
    timeline = Timeline(received=0.0, prefill_sent=0.5, prefill_answered=2.0)
    timeline.forget_prefill()
    timeline.decode_sent, timeline.done = 2.5, 3.5
    assert phases(timeline) == {Phase.ROUTER: 2.5, Phase.DECODE: 1.0}


def test_an_unfinished_request_has_no_phases() -> None:
    assert phases(Timeline(received=0.0, decode_sent=1.0)) == {}
    assert phases(Timeline(received=0.0, done=1.0)) == {}


_SECONDS = st.floats(min_value=0.0, max_value=100.0)
_SAID = st.none() | st.floats(min_value=-1.0, max_value=200.0)
_TIMES = st.builds(EngineTimes, _SAID, _SAID, _SAID)


@given(st.lists(_SECONDS, min_size=6, max_size=6), st.booleans(), st.booleans(), _TIMES, _TIMES)
def test_phases_add_up_to_the_whole(
    gaps: list[float], disaggregated: bool, streamed: bool, prefill: EngineTimes, decode: EngineTimes
) -> None:
    instants = [sum(gaps[: i + 1]) for i in range(6)]
    timeline = Timeline(received=instants[0], decode_sent=instants[3], done=instants[5], prefill=prefill, decode=decode)
    if disaggregated:
        timeline.prefill_sent, timeline.prefill_answered = instants[1], instants[2]
    if streamed:
        timeline.first_token = instants[4]
    parts = phases(timeline)
    assert timeline.total is not None
    assert math.isclose(sum(parts.values()), timeline.total, abs_tol=1e-9)
    assert all(seconds >= -1e-9 for seconds in parts.values())
