"""What the operator does not take from a deployment that runs, by its own documents."""

from __future__ import annotations

from collections.abc import Iterator

from stack.kube.hyperpod.documented import DECODERS_MAX, NEVER_ADDED, NEVER_LEAVES_DPD, NEVER_MODIFIED, ONE_DECODER
from stack.kube.hyperpod.resource import Spec


def immutable(running: Spec, wanted: Spec) -> Iterator[tuple[str, str]]:
    """Each field that `wanted` would change and must not, with why and by whose word."""
    before, after = running.intelligent_routing_spec, wanted.intelligent_routing_spec
    path = "spec.intelligentRoutingSpec"
    if before is None and after is not None:
        yield path, NEVER_ADDED
    elif before is not None and before.enabled != (after is not None and after.enabled):
        yield f"{path}.enabled", NEVER_MODIFIED
    if running.pd_spec is not None and wanted.pd_spec is None:
        yield "spec.pdSpec", NEVER_LEAVES_DPD
    if wanted.pd_spec is not None and wanted.pd_spec.decoding_spec.replicas > DECODERS_MAX:
        was = 0 if running.pd_spec is None else running.pd_spec.decoding_spec.replicas
        if wanted.pd_spec.decoding_spec.replicas != was:
            yield "spec.pdSpec.decodingSpec.replicas", ONE_DECODER
