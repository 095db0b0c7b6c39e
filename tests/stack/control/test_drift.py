from __future__ import annotations

from stack.control.drift import drift
from stack.control.machinery import Machinery
from stack.fleet.engine import State
from tests.stack.control.samples import FLEET, desired, member


def test_a_fleet_as_desired_does_not_drift() -> None:
    assert drift(desired(), FLEET) == {}


def test_drift_says_how_many_are_ready_and_what_the_others_do() -> None:
    fleet = (*FLEET, member("decode-2", State.JOINING), member("decode-3", State.DRAINING, in_flight=2))
    assert drift(desired(decode=3), fleet) == {
        "models.smollm2.pools.decode.replicas": "2 of 3 ready; decode-2 is joining; decode-3 is draining, 2 in flight"
    }


def test_a_pool_of_dozens_is_told_in_a_line() -> None:
    fleet = (*FLEET, *(member(f"decode-{number}", State.JOINING) for number in range(2, 50)))
    assert drift(desired(decode=50), fleet) == {
        "models.smollm2.pools.decode.replicas": "2 of 50 ready; decode-2 is joining; decode-3 is joining; decode-4 is joining; "
        "decode-5 is joining; and 44 more"
    }


def test_what_is_in_flight_on_a_leaving_engine_may_be_unknown() -> None:
    fleet = (*FLEET, member("prefill-1", State.DRAINING, in_flight=None))
    assert drift(desired(), fleet) == {
        "models.smollm2.pools.prefill.replicas": "1 of 1 ready; prefill-1 is draining, in flight unknown"
    }


def test_where_nothing_scales_pools_drift_says_who_has_to() -> None:
    assert drift(desired(decode=3), FLEET, Machinery(scales=False)) == {
        "models.smollm2.pools.decode.replicas": "2 of 3 ready; 2 listed; nothing that control knows runs the engines of this pool:"
        " start or stop them where they run"
    }
    down = (*FLEET[:2], member("decode-1", State.DOWN))
    assert drift(desired(), down, Machinery(scales=False)) == {
        "models.smollm2.pools.decode.replicas": "1 of 2 ready; decode-1 is down"
    }
