"""Reading one as an API server would take it."""

from __future__ import annotations

from typing import Any

import pytest

from stack.kube.hyperpod.reading import ResourceError, configs, read
from tests.stack.kube.hyperpod.samples import disaggregated, endpoint, worker


def test_what_was_not_said_is_defaulted_and_known_to_be() -> None:
    reading = read(endpoint(pdSpec={"prefillSpec": {}, "decodingSpec": {"replicas": 1}}))
    assert reading.resource.spec.pd_spec is not None
    assert reading.resource.spec.pd_spec.routing_threshold == 4096
    assert (reading.says("spec.pdSpec.routingThreshold"), reading.says("spec.pdSpec.decodingSpec.replicas")) == (False, True)


def test_fields_that_nobody_reads_are_found_wherever_they_are() -> None:
    variables = [{"name": "A", "value": "1"}, {"name": "B", "from": "x"}]
    spec = {"lmcache": {"mode": "x"}, "pdSpec": disaggregated(warm=1), "worker": worker(environmentVariables=variables)}
    assert read(endpoint(**spec)).unknown == ("spec.lmcache", "spec.pdSpec.warm", "spec.worker.environmentVariables[1].from")


def test_null_is_as_if_not_said() -> None:
    assert not read(endpoint() | {"status": None}).says("status")
    assert read(endpoint(worker=worker(args=None))).resource.spec.worker.args is None


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"pdSpec": disaggregated(prefill=0)}, "spec.pdSpec.prefillSpec.replicas", "Expected 'int' >= 1, not '0'"),
        ({"intelligentRoutingSpec": {"routingStrategy": "any"}}, "spec.intelligentRoutingSpec.routingStrategy", "prefixaware"),
        ({"pdSpec": {"prefillSpec": {}}}, "spec.pdSpec", "Object missing required field 'decodingSpec'"),
        ({"replicas": "two"}, "spec.replicas", "Expected 'int', got 'str', not 'two'"),
        ({"modelName": "x" * 64}, "spec.modelName", "Expected 'str' of length <= 63"),
    ],
)  # fmt: skip
def test_what_no_server_takes_names_the_field_the_value_and_what_is_allowed(spec: Any, field: str, message: str) -> None:
    with pytest.raises(ResourceError) as caught:
        read(endpoint(**spec))
    assert caught.value.field == field
    assert message in caught.value.message


@pytest.mark.parametrize("document", [None, [], "text", {"kind": "Pod"}])
def test_other_documents_are_none(document: object) -> None:
    with pytest.raises(ResourceError):
        read(document)


def test_lists_have_them_too() -> None:
    bare = {name: value for name, value in endpoint().items() if name != "kind"}
    listed = {"kind": "InferenceEndpointConfigList", "items": [bare]}
    found = configs([None, {"kind": "Pod"}, {"kind": "List", "items": [endpoint(), 3]}, listed, endpoint()])
    assert found == [endpoint(), {"kind": "InferenceEndpointConfig", **bare}, endpoint()]
