"""What is seen of a model's fields, in words; what is not seen is left out."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from stack.control.observed import Traffic, observed
from stack.fleet.engine import State
from tests.stack.control.samples import FLEET, member, model


@dataclass(frozen=True)
class Asked:
    path: str = "direct"
    fallbacks: tuple[str, ...] = ()


def test_of_pools_engines_are_seen_by_their_state() -> None:
    members = (*FLEET, member("decode-2", State.JOINING), member("decode-3", State.DRAINING))
    assert observed("smollm2", model(), members, None) == {
        "pools.prefill.replicas": "1 ready",
        "pools.decode.replicas": "2 ready, 1 joining, 1 draining",
    }


def test_of_requests_nothing_is_seen_where_there_were_none() -> None:
    assert "dpd.enabled" not in observed("smollm2", model(), FLEET, Traffic.of(()))


def test_requests_tell_the_disaggregated_share_the_fallback_strategys_and_the_protocol_spoken() -> None:
    traffic = Traffic.of((Asked(), Asked("dpd"), Asked("direct", ("no_tokenizer", "no_tokenizer"))))
    seen = observed("smollm2", model(), (), traffic)
    assert seen["dpd.enabled"] == "1 of the last 3 requests were disaggregated"
    assert seen["fallback_strategy"] == "decided 1 of the last 3 requests"
    assert seen["pools.decode.protocol"] == "nixl, spoken"


def test_a_protocol_that_is_not_spoken_tells_how_many_went_direct_for_it() -> None:
    state = model()
    other = msgspec.structs.replace(state.pools.prefill, protocol="mooncake")
    state = msgspec.structs.replace(state, pools=msgspec.structs.replace(state.pools, prefill=other))
    traffic = Traffic.of((Asked(), Asked("direct", ("mooncake_unsupported",))))
    said = observed("smollm2", state, (), traffic)["pools.prefill.protocol"]
    assert said == "mooncake, mooncake_unsupported: 1 of the last 2 requests went direct for it"
