"""A small fleet to decide about."""

from __future__ import annotations

from collections.abc import Mapping

from stack.control.members import Member
from stack.control.state import Desired, Dpd, ModelState, Pools, PoolState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool

STRATEGIES = ("kv_aware", "prefix_aware", "round_robin", "session")


def model(prefill: int = 1, decode: int = 2, *, strategy: str = "prefix_aware", dpd: bool = True) -> ModelState:
    return ModelState(
        strategy=strategy,
        dpd=Dpd(enabled=dpd, routing_threshold=512),
        pools=Pools(prefill=PoolState(replicas=prefill), decode=PoolState(replicas=decode)),
    )


def desired(prefill: int = 1, decode: int = 2) -> Desired:
    return Desired(models={"smollm2": model(prefill, decode)})


def member(name: str, state: State = State.READY, **fields: object) -> Member:
    values: Mapping[str, object] = {
        "name": name,
        "model": "smollm2",
        "pool": Pool(name.rpartition("-")[0]),
        "url": "http://127.0.0.1:8100",
        "state": state,
        "health": Health.READY if state in (State.READY, State.DRAINING) else Health.UNKNOWN,
        "in_flight": 0,
        **fields,
    }
    return Member(**values)  # type: ignore[arg-type]  # a test's shorthand


FLEET = (member("prefill-0"), member("decode-0"), member("decode-1"))
