"""Engines and samples for tests of the page of pools and engines."""

from __future__ import annotations

from dashboard.fleet.place import Place
from dashboard.promapi import Sample
from stack.api.schema import EngineView
from stack.fleet.engine import Health, State
from stack.model.tier import Pool

DECODE, PREFILL = Place("smollm2", "decode"), Place("smollm2", "prefill")


def view(name: str, state: State = State.READY, in_flight: int | None = 0) -> EngineView:
    """What control says of an engine."""
    health = {State.READY: Health.READY, State.DOWN: Health.NOT_READY}.get(state, Health.UNKNOWN)
    pool = Pool(name.partition("-")[0])
    return EngineView(
        name=name, model="smollm2", pool=pool, url=f"http://{name}", state=state, health=health, in_flight=in_flight,
        health_age_seconds=2.0,
    )  # fmt: skip


def labels(name: str, quantity: str, **others: str) -> dict[str, str]:
    """Labels of a series about an engine."""
    return {"model_name": "smollm2", "pool": name.partition("-")[0], "replica": name, "quantity": quantity, **others}


def sample(name: str, quantity: str, value: float, **others: str) -> Sample:
    """One sample about an engine."""
    return Sample(labels(name, quantity, **others), value, 0.0)
