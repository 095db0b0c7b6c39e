"""The operator's webhook judges a dry run, where it takes part in one. Written from the API's documentation, not recorded.

https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#side-effects
"""

from __future__ import annotations

import httpx
import pytest
from msgspec.structs import replace

from stack.control.counterpart import ChangeElsewhere
from stack.control.refusal import RefusedError
from stack.control.state import Desired, ModelState
from stack.kube.access import Access
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.routing import EndpointRouting
from tests.stack.api.deck import Clock
from tests.stack.kube.hyperpod.samples import disaggregated, endpoint, routing

DOCUMENT = endpoint(intelligentRoutingSpec=routing(), pdSpec=disaggregated())


async def asked(status: int, message: str) -> tuple[ChangeElsewhere, ...]:
    """What comes of a change of strategy where patches are answered so."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json=DOCUMENT)
        assert request.url.params["dryRun"] == "All"
        return httpx.Response(status, json={"kind": "Status", "code": status, "message": message})

    access = Access("http://kube", "team", True, lambda: None)
    follows = EndpointRouting(access, [Endpoint("llama", "team", "llama")], Clock(), httpx.MockTransport(answer))
    before, after = (Desired(models={"llama": replace(ModelState(), strategy=name)}) for name in ("kv_aware", "session"))
    return await follows.check(before, after)


@pytest.mark.parametrize("status", [400, 403])
async def test_what_it_denies_is_refused_in_its_words(status: int) -> None:
    with pytest.raises(RefusedError, match='admission webhook "operator" denied the request: no') as refused:
        await asked(status, 'admission webhook "operator" denied the request: no')
    assert refused.value.field == "models.llama.strategy"


async def test_one_that_takes_no_part_in_dry_runs_leaves_the_change_untried() -> None:
    (effect,) = await asked(400, 'admission webhook "operator" does not support dry run')
    assert "not tried: the API server answers 400" in effect.caution
