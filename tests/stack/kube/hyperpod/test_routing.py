"""Strategy and threshold of an endpoint follow what is desired, and what it does not take is refused by its field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from stack.control.counterpart import Followed
from stack.control.refusal import RefusedError
from stack.control.state import Desired, Dpd, ModelState, Pools, PoolState
from stack.kube.hyperpod.documented import UNVERIFIED
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.routing import EndpointRouting
from tests.stack.api.deck import Clock
from tests.stack.kube.hyperpod.operator import Operated, operated
from tests.stack.kube.hyperpod.samples import crd, disaggregated, routing
from tests.stack.kube.servers import NAMESPACE, Breakable

pytestmark = pytest.mark.usefixtures("api_server")
STATE = ModelState(strategy="kv_aware", dpd=Dpd(routing_threshold=2048), pools=Pools(prefill=PoolState(replicas=1)))
WORDS = f"InferenceEndpointConfig {NAMESPACE}/llama"
STRATEGY, THRESHOLD = "spec.intelligentRoutingSpec.routingStrategy", "spec.pdSpec.routingThreshold"


@dataclass
class Steered:
    it: Operated
    routing: EndpointRouting
    clock: Clock
    transport: Breakable

    async def spec(self) -> tuple[str, int]:
        spec = (await self.it.document())["spec"]
        return spec["intelligentRoutingSpec"]["routingStrategy"], spec["pdSpec"]["routingThreshold"]

    async def follow(self, state: ModelState) -> Followed:
        self.clock.advance(60)
        return await self.routing.follow(desired(state))


async def steered(own: Endpoint | None = None, definition: dict[str, Any] | None = None, **spec: Any) -> Steered:
    own = own or Endpoint("llama", NAMESPACE, "llama")
    given = spec or {"intelligentRoutingSpec": routing(), "pdSpec": disaggregated(prefill=1)}
    it = await operated(own, definition=definition, **given)
    clock, transport = Clock(), Breakable(it.way.transport.inner)
    return Steered(it, EndpointRouting(it.way.access, [own], clock, transport), clock, transport)


def desired(state: ModelState) -> Desired:
    return Desired(models={"llama": state})


async def effects(there: Steered, after: ModelState, before: ModelState = STATE) -> list[str]:
    return [effect.sentence for effect in await there.routing.check(desired(before), desired(after))]


async def refusal(there: Steered, after: ModelState, before: ModelState = STATE) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        await there.routing.check(desired(before), desired(after))
    return caught.value


def sized(prefill: int) -> ModelState:
    return replace(STATE, pools=Pools(prefill=PoolState(replicas=prefill)))


AFTER = replace(sized(3), strategy="session", dpd=Dpd(routing_threshold=512))


async def test_a_preview_says_what_would_be_patched_that_it_is_unverified_and_patches_nothing() -> None:
    there = await steered()
    assert await effects(there, AFTER) == [
        f"{STRATEGY} of {WORDS} is patched from kvaware to session; {UNVERIFIED}.",
        f"{THRESHOLD} of {WORDS} is patched from 2048 to 512; {UNVERIFIED}.",
        f"spec.pdSpec.prefillSpec.replicas of {WORDS} is patched from 1 to 3; {UNVERIFIED}.",
    ]
    assert await there.spec() == ("kvaware", 2048)


async def test_what_does_not_concern_the_endpoint_is_not_asked_about() -> None:
    there = await steered()
    before = len(there.it.way.server.asked)
    assert await effects(there, replace(STATE, shadow_share=0.5)) == []
    assert len(there.it.way.server.asked) == before


async def test_what_the_server_does_not_take_is_refused_by_the_field_of_the_desired_state() -> None:
    there = await steered(definition=crd(), intelligentRoutingSpec=routing(), pdSpec=disaggregated(prefill=1))
    refused = await refusal(there, replace(STATE, strategy="coin_toss"))
    assert refused.field == "models.llama.strategy"
    assert "422" in refused.message
    assert "kvaware" in refused.message


async def test_a_strategy_for_one_pool_is_refused() -> None:
    own = Pools(prefill=PoolState(replicas=1, strategy="session"))
    refused = await refusal(await steered(), replace(STATE, pools=own))
    assert (refused.field, "one routingStrategy" in refused.message) == ("models.llama.pools.prefill.strategy", True)


async def test_leaving_dpd_is_refused_with_the_source() -> None:
    refused = await refusal(await steered(), replace(STATE, dpd=Dpd(enabled=False, routing_threshold=2048)))
    assert refused.field == "models.llama.dpd.enabled"
    assert "docs.aws.amazon.com" in refused.message


async def test_entering_dpd_is_refused_where_there_is_no_pd_spec() -> None:
    alone = replace(STATE, dpd=Dpd(enabled=False))
    there = await steered(Endpoint("llama", NAMESPACE, "llama", disaggregated=False), replicas=1)
    assert (await refusal(there, replace(alone, dpd=Dpd()), alone)).field == "models.llama.dpd.enabled"


@pytest.mark.parametrize("spec", [None, {"enabled": False}])
async def test_a_strategy_is_refused_where_routing_was_never_enabled(spec: dict[str, Any] | None) -> None:
    there = await steered(intelligentRoutingSpec=spec, pdSpec=disaggregated(prefill=1))
    refused = await refusal(there, AFTER)
    assert (refused.field, "spec.intelligentRoutingSpec" in refused.message) == ("models.llama.strategy", True)


async def test_what_git_keeps_is_changed_there() -> None:
    there = await steered()
    tracked = {"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": f"fleet:group/Kind:{NAMESPACE}/llama"}}}
    await there.it.hands.http.patch(
        f"/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/{NAMESPACE}/inferenceendpointconfigs/llama",
        json=tracked,
        headers={"content-type": "application/merge-patch+json"},
    )
    assert (await refusal(there, AFTER)).message == f"Argo CD Application fleet keeps {WORDS}: change {STRATEGY} there"


async def test_a_server_that_does_not_answer_refuses_nothing_and_is_told() -> None:
    there = await steered()
    there.transport.broken = httpx.ConnectError("refused")
    assert f"from what is not known to session; {UNVERIFIED}, and not tried: ConnectError." in (await effects(there, AFTER))[0]
    drift = (await there.follow(AFTER)).drift
    assert set(drift) == {"models.llama.strategy", "models.llama.dpd.routing_threshold"}


async def test_it_follows_what_is_desired_and_sets_nothing_else() -> None:
    there = await steered()
    before = (await there.it.document())["spec"]
    followed = await there.follow(AFTER)
    assert followed.steps == (
        f"{STRATEGY} of {WORDS} set to session, {UNVERIFIED}",
        f"{THRESHOLD} of {WORDS} set to 512, {UNVERIFIED}",
    )
    assert (await there.it.document())["spec"] == before | {
        "intelligentRoutingSpec": routing("session"), "pdSpec": before["pdSpec"] | {"routingThreshold": 512},
    }  # fmt: skip
    assert await there.follow(AFTER) == Followed()


async def test_it_asks_anew_only_every_few_seconds() -> None:
    there = await steered()
    await there.follow(STATE)
    before = len(there.it.way.server.asked)
    await there.routing.follow(desired(STATE))
    assert len(there.it.way.server.asked) == before


async def test_somebody_else_s_edit_is_left_and_told_until_something_else_is_desired() -> None:
    there = await steered()
    await there.follow(STATE)
    await there.it.edit({"intelligentRoutingSpec": {"routingStrategy": "roundrobin"}})
    followed = await there.follow(STATE)
    left = f"kubectl set {STRATEGY} of {WORDS} to roundrobin, which is left so: desire that to keep it, or set it back to kvaware"
    assert followed == Followed((), {"models.llama.strategy": left})
    assert (await there.follow(replace(STATE, strategy="session"))).drift == {}
    assert (await there.spec())[0] == "session"


async def test_what_cannot_be_patched_stays_drift() -> None:
    there = await steered(intelligentRoutingSpec={"enabled": False}, pdSpec=disaggregated(prefill=1))
    assert set((await there.follow(STATE)).drift) == {"models.llama.strategy"}
