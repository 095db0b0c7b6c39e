"""What the operator does not take from a deployment that runs, by its own documents."""

from __future__ import annotations

from collections.abc import Iterator

from stack.kube.hyperpod.resource import Spec

_DPD_PAGE = "docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-model-deployment-dpd.html"


def immutable(running: Spec, wanted: Spec) -> Iterator[tuple[str, str]]:
    """Each field that `wanted` would change and must not, with why and by whose word."""
    before, after = running.intelligent_routing_spec, wanted.intelligent_routing_spec
    path = "spec.intelligentRoutingSpec"
    if before is None and after is not None:
        yield path, "adding it to a deployment there is will be rejected (the CRD's description of intelligentRoutingSpec)"
    elif before is not None and before.enabled != (after is not None and after.enabled):
        yield f"{path}.enabled", "once set it cannot be modified (the CRD's description of enabled)"
    if running.pd_spec is not None and wanted.pd_spec is None:
        yield "spec.pdSpec", f"an endpoint leaves DPD as a new InferenceEndpointConfig without pdSpec only ({_DPD_PAGE})"
    if wanted.pd_spec is not None and wanted.pd_spec.decoding_spec.replicas > 1:
        was = 0 if running.pd_spec is None else running.pd_spec.decoding_spec.replicas
        if wanted.pd_spec.decoding_spec.replicas != was:
            yield "spec.pdSpec.decodingSpec.replicas", f"one decode replica for each endpoint is what is documented ({_DPD_PAGE})"
