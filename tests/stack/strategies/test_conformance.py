"""What every strategy owes its callers, checked for each that is registered."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect

from stack.control.allowed import allowed
from stack.fleet.engine import Engine
from stack.model.request import RouteRequest
from stack.strategies import base
from stack.strategies.parameters import UnknownParameterError, checked, declared
from stack.strategies.prediction import TTFT
from tests.stack.strategies import fleets
from tests.stack.strategies.past import Past

every = pytest.mark.parametrize("name", base.names())
quick = settings(max_examples=25, deadline=None)


def test_all_four_of_the_product_are_registered() -> None:
    assert base.names() == ("kv_aware", "prefix_aware", "round_robin", "session")


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("roundrobin", "round_robin"), ("prefixaware", "prefix_aware"), ("kvaware", "kv_aware"), ("session", "session")],
)
def test_hyperpods_spelling_names_a_registered_strategy(spelling: str, name: str) -> None:
    assert base.canonical(spelling) == name
    assert name in base.names()


@every
def test_every_parameter_is_bounded_described_and_has_a_default_that_it_may_be(name: str) -> None:
    for parameter in declared(name).values():
        kind = inspect.type_info(parameter.kind)
        assert isinstance(kind, inspect.Metadata), parameter.name
        assert kind.extra_json_schema is not None
        assert kind.extra_json_schema["description"], parameter.name
        assert allowed(parameter.kind) not in ("a number", "a whole number", "a text", "an object"), parameter.name
        assert checked(name, {parameter.name: parameter.default}) == {parameter.name: parameter.default}
    base.create(name, **{parameter.name: parameter.default for parameter in declared(name).values()})


@every
def test_what_a_strategy_cannot_be_told_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownParameterError, match=f"unknown parameter 'colour' of {name}; allowed: "):
        checked(name, {"colour": 1})
    for parameter in declared(name).values():
        with pytest.raises(ValueError, match=f"parameters of {name}: "):
            checked(name, {parameter.name: "much"})


@every
def test_an_empty_pool_is_refused(name: str) -> None:
    with pytest.raises(base.EmptyPoolError):
        base.create(name).choose(fleets.request(), [])


@every
@quick
@given(request=fleets.requests(), candidates=fleets.fleets)
def test_only_a_candidate_is_chosen(name: str, request: RouteRequest, candidates: list[Engine]) -> None:
    choice = base.create(name).choose(request, candidates)
    known = {engine.name for engine in candidates}
    assert choice.engine in known
    assert choice.scores.keys() <= known


@every
@quick
@given(
    past=st.lists(fleets.requests(), max_size=5),
    request=fleets.requests(),
    candidates=fleets.fleets,
    seed=st.integers(),
)
def test_a_decision_replays_whatever_the_order_of_the_candidates(
    name: str, past: list[RouteRequest], request: RouteRequest, candidates: list[Engine], seed: int
) -> None:
    strategy, sent = base.create(name), Past()
    for earlier in past:
        sent.send(strategy, earlier, candidates)
    request = sent.recalled(request)
    shuffled = candidates.copy()
    random.Random(seed).shuffle(shuffled)
    first = strategy.choose(request, candidates)
    assert strategy.choose(request, candidates) == first
    assert strategy.choose(request, shuffled).engine == first.engine


@every
@quick
@given(past=st.lists(fleets.requests(), max_size=5), request=fleets.requests(), candidates=fleets.fleets)
def test_what_all_engines_lost_is_as_if_it_had_never_been_sent(
    name: str, past: list[RouteRequest], request: RouteRequest, candidates: list[Engine]
) -> None:
    strategy, sent = base.create(name), Past()
    for earlier in past:
        sent.send(strategy, earlier, candidates)
    for engine in candidates:
        sent.index.forget(engine.name)
    sent.index.forget("never-heard-of")
    assert sent.recalled(request).recalled.runs == ()


@every
@quick
@given(request=fleets.requests(), candidates=fleets.fleets)
def test_reasons_are_words_fit_for_a_metric_label(name: str, request: RouteRequest, candidates: list[Engine]) -> None:
    choice = base.create(name).choose(request, candidates)
    for word in (choice.reason, choice.fallback or "none"):
        assert re.fullmatch(r"[a-z][a-z0-9_]{1,40}", word)


@every
@quick
@given(past=st.lists(fleets.requests(), max_size=3), request=fleets.requests(), candidates=fleets.fleets)
def test_what_is_predicted_of_the_chosen_engine_is_its_score(
    name: str, past: list[RouteRequest], request: RouteRequest, candidates: list[Engine]
) -> None:
    strategy, sent = base.create(name), Past()
    for earlier in past:
        sent.send(strategy, earlier, candidates)
    request = sent.recalled(request)
    choice = strategy.choose(request, candidates)
    if choice.ranked_by is not None:
        assert all(choice.ranked_by in parts for parts in choice.scores.values())
    if choice.predicted_ttft_s is not None:
        assert choice.ranked_by is not None
        assert choice.predicted_ttft_s == choice.scores[choice.engine][TTFT]
        assert choice.predicted_ttft_s > 0.0
    if choice.expected_cached_tokens is not None:
        assert 0 <= choice.expected_cached_tokens <= request.prompt_tokens
