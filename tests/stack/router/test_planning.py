"""What a body forbids, and what the plan makes of it."""

from typing import Any

import pytest

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member
from stack.model.plan import Plan
from stack.model.rates import PROFILE
from stack.model.request import RouteRequest
from stack.model.target import Target
from stack.model.tier import Path, Pool
from stack.router.applied import Served
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup
from stack.router.openai import CHAT, ParsedBody
from stack.router.planning import Candidates, meant_path, plan_for
from stack.strategies.base import EmptyPoolError, create
from stack.strategies.disaggregation import DpdPolicy, Named, PoolStrategies

ROUND_ROBIN = Named("round_robin", create("round_robin"))
SERVED = Served(PoolStrategies(ROUND_ROBIN, ROUND_ROBIN), DpdPolicy(True, 512))


def _member(name: str, pool: Pool) -> Member:
    return Member(Engine(Target(replica=name, url=f"http://{name}", pool=pool, model="m", model_root="/m"), health=Health.READY))


FLEET = Fleet.of([_member("p", Pool.PREFILL), _member("d", Pool.DECODE)])


def _plan(tokens: int, path: str = CHAT, fleet: Fleet = FLEET, **fields: Any) -> Plan:
    candidates = Candidates.of("m", fleet, Lineup(InFlight(), RateBook(PROFILE)))
    return plan_for(
        ParsedBody(path, "m", fields, routed=path == CHAT),
        RouteRequest("r", "m", 0, tokens),
        candidates,
        SERVED,
    )


@pytest.mark.parametrize(
    ("tokens", "fields", "path", "reason", "fallback"),
    [
        (511, {}, Path.DIRECT, "below_threshold", None),
        (512, {}, Path.DPD, "at_threshold", None),
        (512, {"n": 2}, Path.DIRECT, "several_choices", "several_choices"),
        (511, {"n": 2}, Path.DIRECT, "below_threshold", None),
    ],
)
def test_the_plan_follows_size_and_body(tokens: int, fields: dict[str, Any], path: Path, reason: str, fallback: str | None) -> None:
    plan = _plan(tokens, **fields)
    assert (plan.path, plan.reason, plan.fallback) == (path, reason, fallback)
    assert meant_path(ParsedBody(CHAT, "m", fields), tokens, SERVED.policy) is path


def test_what_is_no_completion_goes_straight_to_one_engine() -> None:
    plan = _plan(100_000, path="/v1/embeddings")
    assert (plan.path, plan.reason, plan.fallback, plan.decode.engine) == (Path.DIRECT, "pass_through", None, "d")
    assert meant_path(ParsedBody("/v1/embeddings", "m", {}, routed=False), 100_000, SERVED.policy) is Path.DIRECT


def test_without_a_decode_engine_there_is_no_plan() -> None:
    with pytest.raises(EmptyPoolError):
        _plan(1, fleet=Fleet.of([_member("p", Pool.PREFILL)]))
