"""What every strategy owes its callers, checked for each that is registered."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.fleet.engine import Engine
from stack.model.request import RouteRequest
from stack.strategies import base
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
