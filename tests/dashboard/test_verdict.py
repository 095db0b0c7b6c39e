"""Whether the fleet is well, in one line."""

import msgspec

from dashboard.verdict import Level, Verdict, verdict
from stack.api.schema import Applied, Drift, EngineView, RouterView, StateView
from stack.control.state import Desired, ModelState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool


def engine(name: str, pool: Pool, state: State = State.READY, emulated: bool = False) -> EngineView:
    health = Health.READY if state is State.READY else Health.NOT_READY
    return EngineView(name=name, model="m", pool=pool, url=None, state=state, health=health, in_flight=0, emulated=emulated)


WELL = StateView(
    generation=3,
    desired=Desired(models={"m": ModelState()}),
    applied=Applied(routers=(RouterView(id="router-0", generation=3, age_seconds=0.4),)),
    engines=(engine("prefill-0", Pool.PREFILL), engine("decode-0", Pool.DECODE)),
)


def test_a_fleet_with_nothing_amiss_is_well() -> None:
    assert verdict(WELL, []) == Verdict(
        Level.WELL, "The fleet is well.", "Engines: 1 decode ready, 1 prefill ready. No alert fires."
    )


def test_without_a_ready_decode_engine_it_is_bad_whatever_else_is_said() -> None:
    state = msgspec.structs.replace(WELL, engines=(engine("decode-0", Pool.DECODE, State.DOWN),))
    assert verdict(state, ["KvdeckEngineDown"]) == Verdict(Level.BAD, "No decode engine is ready.", "Engines: 1 decode down.")


def test_an_empty_fleet_is_bad() -> None:
    assert verdict(msgspec.structs.replace(WELL, engines=()), []).detail == "No engine is listed."


def test_firing_alerts_are_named_once_each() -> None:
    assert (
        verdict(WELL, ["KvdeckEngineDown", "KvdeckCollectorFailing", "KvdeckEngineDown"]).headline
        == "Firing: KvdeckCollectorFailing, KvdeckEngineDown."
    )


def test_drift_is_told_with_its_reason() -> None:
    state = msgspec.structs.replace(WELL, drift=(Drift(field="pools.decode.replicas", reason="decode-1 starts", since=1.0),))
    assert verdict(state, []) == Verdict(Level.WARNING, "Not yet as desired.", "pools.decode.replicas: decode-1 starts.")


def test_without_a_live_router_nothing_is_said_to_be_well() -> None:
    assert verdict(msgspec.structs.replace(WELL, applied=Applied()), []).level is Level.WARNING


def test_an_engine_that_is_not_ready_is_a_warning() -> None:
    state = msgspec.structs.replace(WELL, engines=(*WELL.engines, engine("decode-1", Pool.DECODE, State.JOINING)))
    assert verdict(state, []) == Verdict(
        Level.WARNING, "Some engines are not ready.", "Engines: 1 decode joining, 1 decode ready, 1 prefill ready."
    )


def test_an_emulated_fleet_says_so() -> None:
    state = msgspec.structs.replace(WELL, engines=(engine("decode-0", Pool.DECODE, emulated=True),))
    assert verdict(state, []).detail == "Engines: 1 decode ready (emulated). No alert fires."


def test_not_knowing_whether_an_alert_fires_is_not_well() -> None:
    assert verdict(WELL, None).level is Level.WARNING
