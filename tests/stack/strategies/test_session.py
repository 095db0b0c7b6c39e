"""Sessions stay on their engine, within bounds."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stack.strategies.session import Session
from tests.stack.strategies.fleets import engine, fleet, request


def test_a_session_stays_where_it_is() -> None:
    chosen = {Session().choose(request(i, session="alice"), fleet(5)).engine for i in range(20)}
    assert len(chosen) == 1


def test_a_full_home_passes_the_request_on_and_says_so() -> None:
    home = Session().choose(request(session="alice"), fleet(3))
    loaded = [replace(e, in_flight=30 if e.name == home.engine else 0) for e in fleet(3)]
    choice = Session().choose(request(session="alice"), loaded)
    assert home.reason == "session_home"
    assert choice.reason == "session_overflow"
    assert choice.engine != home.engine
    assert choice.scores[home.engine] == {"rank": 0.0, "in_flight": 30.0, "capacity": 13.0}


def test_at_light_load_no_home_is_full() -> None:
    home = Session().choose(request(session="alice"), fleet(3)).engine
    loaded = [replace(e, in_flight=3 if e.name == home else 0) for e in fleet(3)]
    assert Session().choose(request(session="alice"), loaded).engine == home


def test_without_a_key_the_least_loaded_engine_serves_as_a_fallback() -> None:
    choice = Session().choose(request(), [engine("a", 2), engine("b", 1)])
    assert (choice.engine, choice.reason, choice.fallback) == ("b", "least_loaded", "no_session_key")


@settings(max_examples=50, deadline=None)
@given(sessions=st.lists(st.text(max_size=4), min_size=1, max_size=120), size=st.integers(1, 6))
def test_no_engine_exceeds_its_share_by_more_than_the_factor(sessions: list[str], size: int) -> None:
    engines = {e.name: e for e in fleet(size)}
    strategy = Session(light_load=0)
    for number, session in enumerate(sessions):
        name = strategy.choose(request(number, session=session), list(engines.values())).engine
        engines[name] = replace(engines[name], in_flight=engines[name].in_flight + 1)
        assert engines[name].in_flight <= math.ceil(1.25 * (number + 1) / size)
