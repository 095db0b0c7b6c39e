"""A request that has been carried out, for tests."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from stack.engines.answer_facts import NO_FACTS, AnswerFacts
from stack.engines.pd.base import Handover
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice, Comparison, Plan
from stack.model.request import RouteRequest
from stack.model.target import Target
from stack.model.tier import Path, Pool
from stack.router.applied import Served
from stack.router.errand import Errand
from stack.router.header_fields import NO_LINES
from stack.router.identity import Identity
from stack.router.openai import CHAT, ParsedBody
from stack.router.phases import EngineTimes, Timeline
from stack.router.planning import Candidates
from stack.strategies.base import create
from stack.strategies.disaggregation import DpdPolicy, Named, PoolStrategies

NAMED = Named("session", create("session"))
PLAN = Plan(
    path=Path.DPD,
    decode=Choice(
        "decode-0",
        reason="home",
        scores={"decode-0": {"rank": 1.0}, "decode-1": {"rank": 0.0}},
        fallback="no_session_key",
        expected_cached_tokens=32,
        ranked_by="rank",
    ),
    decode_strategy="session",
    reason="at_threshold",
    prefill=Choice("prefill-0", reason="home"),
    prefill_strategy="session",
    compared=Comparison(700, 512),
)


def engine(name: str, pool: Pool = Pool.DECODE, in_flight: int = 0) -> Engine:
    """A ready engine of the model `m`."""
    target = Target(replica=name, url=f"http://{name}", pool=pool, model="m", model_root="/m")
    return Engine(target, health=Health.READY, in_flight=in_flight)


ROUTE = RouteRequest(
    "r1",
    "m",
    0,
    700,
    tokens_exact=True,
    session_key="5e55",
    placement=Placement(
        {"decode-0": EnginePlacement(32, age_seconds=0.5), "prefill-0": EnginePlacement(96, 32, age_seconds=2.0)}, 700
    ),
)
CANDIDATES = Candidates(
    prefill=(engine("prefill-0", Pool.PREFILL),), decode=(engine("decode-0", in_flight=2), engine("decode-1", in_flight=1))
)


def errand(**fields: Any) -> Errand:
    """A chat that took both legs and was streamed whole; `fields` say what is different."""
    plain: dict[str, Any] = {
        "parsed": ParsedBody(CHAT, "m", {}, stream=True),
        "identity": Identity.named("r1"),
        "outbound": NO_LINES,
        "fleet": Fleet.of(()),
        "served": Served(PoolStrategies(NAMED, NAMED), DpdPolicy(True, 512)),
        "generation": 3,
        "route": ROUTE,
        "plan": PLAN,
        "timeline": Timeline(
            received=1.0,
            prefill_sent=1.0,
            prefill_answered=2.0,
            decode_sent=2.0,
            first_token=2.5,
            done=3.5,
            decode=EngineTimes(queue_seconds=0.25),
        ),
        "candidates": CANDIDATES,
        "at": 1700000000.0,
        "decided_at": 1.0,
        "probed_at": 0.75,
        "engine": "decode-0",
        "prefill_engine": "prefill-0",
        "facts": AnswerFacts(prompt_tokens=700, completion_tokens=3, cached_tokens=688, queue_s=0.25),
        "prefill_facts": AnswerFacts(first_token_s=0.75),
        "handover": Handover({}, 128, NO_FACTS),
        "gaps": [0.25, 0.5],
        "streamed": True,
        "status": 200,
    }
    return Errand(**plain | fields)


def chosen(choice: Choice, candidates: Candidates) -> Errand:
    """An errand on the direct path, by `choice` of `candidates`."""
    plan = replace(PLAN, path=Path.DIRECT, decode=choice, prefill=None, prefill_strategy=None, reason="below_threshold")
    return errand(plan=plan, candidates=candidates, engine=choice.engine, prefill_engine=None, handover=None)
