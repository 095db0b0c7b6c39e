"""Whether the fleet is well, in one line."""

import msgspec

from dashboard.overall.firing import Alarms
from dashboard.overall.fleets import Fleet
from dashboard.overall.pools import PoolNow
from dashboard.overall.verdict import Level, Verdict, verdict
from dashboard.sites import Site
from stack.api.schema import Applied, Drift, EngineView, RouterView, StateView
from stack.control.alert import Alert, AlertState
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


NONE = Alarms()


def judged(state: StateView | None = WELL, alarms: Alarms = NONE, *pools: PoolNow, steered: bool = True) -> Verdict:
    return verdict(state, alarms, pools, steered=steered)


def alarms(*names: str, severity: str | None = "warning", state: AlertState = AlertState.FIRING) -> Alarms:
    return Alarms(tuple(Alert(name=name, state=state, labels={}, severity=severity) for name in names))


def pool(name: str, ready: float | None) -> PoolNow:
    return PoolNow(Fleet("m"), name, ready=ready, listed=2)


def test_a_fleet_with_nothing_amiss_is_well() -> None:
    assert judged() == Verdict(Level.WELL, "The fleet is well.", "Engines: 1 decode ready, 1 prefill ready. No alert fires.")


def test_without_a_ready_decode_engine_it_is_bad_and_everything_else_is_said_after_it() -> None:
    state = msgspec.structs.replace(WELL, engines=(engine("decode-0", Pool.DECODE, State.DOWN),))
    assert judged(state, alarms("KvdeckEngineDown")) == Verdict(
        Level.BAD,
        "No decode engine is ready.",
        "Firing: KvdeckEngineDown. 1 of 1 engines are not ready. Engines: 1 decode down.",
    )


def test_an_empty_fleet_is_bad() -> None:
    assert judged(msgspec.structs.replace(WELL, engines=())).detail == "No engine is listed."


def test_firing_alerts_are_named_once_each_the_critical_ones_first() -> None:
    both = Alarms((*alarms("KvdeckB", "KvdeckA", "KvdeckB").alerts, *alarms("KvdeckC", severity="critical").alerts))
    found = judged(WELL, both)
    assert (found.level, found.headline) == (Level.BAD, "Critical: KvdeckC.")
    assert found.detail.startswith("Firing: KvdeckB, KvdeckA. Engines:")


def test_of_many_alerts_some_are_named() -> None:
    assert judged(WELL, alarms(*(f"Kvdeck{n}" for n in range(5)))).headline == "Firing: Kvdeck0, Kvdeck1, Kvdeck2 and 2 more."


def test_an_alert_of_no_known_severity_is_taken_for_serious() -> None:
    assert judged(WELL, alarms("KvdeckA", severity=None)).level is Level.WARNING


def test_what_is_only_to_note_or_held_back_is_told_and_does_not_make_it_unwell() -> None:
    several = Alarms(
        (
            *alarms("KvdeckA", severity="info").alerts,
            *alarms("KvdeckB", severity="critical", state=AlertState.SILENCED).alerts,
            *alarms("KvdeckC", state=AlertState.PENDING).alerts,
        )
    )
    assert judged(WELL, several) == Verdict(
        Level.WELL,
        "The fleet is well.",
        "Engines: 1 decode ready, 1 prefill ready. To note: KvdeckA. Alerts: 1 silenced, 1 pending.",
    )


def test_drift_is_told_with_its_reason() -> None:
    state = msgspec.structs.replace(WELL, drift=(Drift(field="pools.decode.replicas", reason="decode-1 starts", since=1.0),))
    found = judged(state)
    assert (found.level, found.headline) == (Level.WARNING, "Not yet as desired: pools.decode.replicas: decode-1 starts.")


def test_the_drift_of_a_large_fleet_is_told_in_a_few_words() -> None:
    drift = tuple(Drift(field=f"pools.{number}", reason="starts", since=1.0) for number in range(30))
    found = judged(msgspec.structs.replace(WELL, drift=drift))
    assert found.headline == "Not yet as desired: pools.0: starts. pools.1: starts. pools.2: starts. And 27 more."


def test_without_a_live_router_nothing_is_said_to_be_well() -> None:
    assert judged(msgspec.structs.replace(WELL, applied=Applied())).level is Level.WARNING


def test_an_engine_that_is_not_ready_is_a_warning() -> None:
    state = msgspec.structs.replace(WELL, engines=(*WELL.engines, engine("decode-1", Pool.DECODE, State.JOINING)))
    assert judged(state) == Verdict(
        Level.WARNING, "1 of 3 engines are not ready.", "Engines: 1 decode joining, 1 decode ready, 1 prefill ready."
    )


def test_an_emulated_fleet_says_so() -> None:
    state = msgspec.structs.replace(WELL, engines=(engine("decode-0", Pool.DECODE, emulated=True),))
    assert judged(state).detail == "Engines: 1 decode ready (emulated). No alert fires."


def test_not_knowing_whether_an_alert_fires_is_not_well() -> None:
    assert judged(WELL, Alarms(doubt="nobody looks")) == Verdict(
        Level.WARNING, "It is unknown whether an alert fires: nobody looks.", "Engines: 1 decode ready, 1 prefill ready."
    )


def test_prometheus_alone_says_who_is_well_as_far_as_it_can_tell() -> None:
    assert judged(None, NONE, pool("prefill", None), pool("decode", 1), steered=False) == Verdict(
        Level.WELL, "The fleet is well.", "Engines: 2 decode, 2 prefill. No alert fires. As far as Prometheus alone can tell."
    )
    assert judged(None, NONE, pool("decode", 0), steered=False).headline == "No decode engine is ready."
    assert judged(None, NONE, steered=False).headline == "No engine is known."


def test_a_control_that_should_answer_and_does_not_is_a_warning() -> None:
    found = judged(None, NONE, pool("decode", 2))
    assert (found.level, found.headline) == (
        Level.WARNING, "Control does not answer: whether all is as desired is unknown."
    )  # fmt: skip


def test_a_model_that_nobody_decodes_for_is_bad_though_another_is_well() -> None:
    other = msgspec.structs.replace(engine("decode-9", Pool.DECODE, State.DOWN), model="other-1.5")
    found = judged(msgspec.structs.replace(WELL, engines=(*WELL.engines, other)))
    assert (found.level, found.headline) == (Level.BAD, "No decode engine of other-1.5 is ready.")
    there = [PoolNow(Fleet("m", Site(name)), "decode", ready=ready) for name, ready in (("east", 2.0), ("west", 0.0))]
    assert judged(None, NONE, *there, steered=False).headline == "No decode engine of west / m is ready."


def test_a_pool_that_should_be_empty_may_be() -> None:
    empty = PoolNow(Fleet("other"), "decode", desired=0.0, ready=0.0)
    assert judged(None, NONE, pool("decode", 1), empty, steered=False).level is Level.WELL
