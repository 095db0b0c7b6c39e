"""Fields without a counterpart in kvdeck's desired state, and where their subject is instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

_CONTAINER = "how engines are started is the operator's; kvdeck does not start these pods"
_RESOURCES = f"{_CONTAINER}; reports of costs want pools.<pool>.gpus_per_engine"
_NAMES = "SageMaker's own name for it; kvdeck has no such thing"
_SCALING = "who scales by load stays who he is: kvdeck sets replicas, within bounds"

KEPT: Mapping[str, str] = {
    "spec.InitialReplicaCount": "deprecated, and without effect in HyperPod as well",
    "spec.endpointName": _NAMES,
    "spec.modelVersion": _NAMES,
    "spec.tags": _NAMES,
    "spec.instanceType": "which machines pods run on is the operator's",
    "spec.instanceTypes": "which machines pods run on is the operator's",
    "spec.nodeAffinity": "which machines pods run on is the operator's",
    "spec.kubernetes": _CONTAINER,
    "spec.invocationEndpoint": "kvdeck's router serves OpenAI's paths, all of them",
    "spec.maxDeployTimeInSeconds": "kvdeck waits for an engine as long as it takes, and shows since when",
    "spec.dnsConfig": "names and certificates belong to the gateway in front",
    "spec.tlsConfig": "names and certificates belong to the gateway in front",
    "spec.loadBalancer": "kvdeck's router takes its place",
    "spec.metrics": "kvdeck's exporter reads the engines' own metrics; the chart's values say how often",
    "spec.dataCapture": "kvdeck keeps no payloads: its decision records have no text in them",
    "spec.modelSourceConfig": "where weights come from is the operator's; kvdeck does not load models",
    "spec.intelligentRoutingSpec.autoScalingSpec": "how many routers run is their Deployment's; kvdeck's share nothing",
    "spec.pdSpec.topologySpec": "which machines pods run on is the operator's",
    "spec.pdSpec.prefillSpec.args": _CONTAINER,
    "spec.pdSpec.prefillSpec.nodeSelector": _CONTAINER,
    "spec.pdSpec.prefillSpec.resources": _RESOURCES,
    "spec.pdSpec.decodingSpec.args": _CONTAINER,
    "spec.pdSpec.decodingSpec.nodeSelector": _CONTAINER,
    "spec.pdSpec.decodingSpec.resources": _RESOURCES,
    "spec.worker.image": _CONTAINER,
    "spec.worker.command": _CONTAINER,
    "spec.worker.args": f"{_CONTAINER}; only --served-model-name is read",
    "spec.worker.workingDir": _CONTAINER,
    "spec.worker.environmentVariables": _CONTAINER,
    "spec.worker.probes": _CONTAINER,
    "spec.worker.resources": _RESOURCES,
    "spec.worker.modelInvocationPort": "the port of engines is said to the router and the exporter at their start",
    "spec.worker.modelVolumeMount": _CONTAINER,
    "spec.kvCacheSpec.cacheConfigFile": "LMCache's own file, which overrides kvCacheSpec; what is in it is not known here",
}
"""By the path of the field, or of the object that it is in."""

TRIGGERS = (
    "pollingInterval", "cooldownPeriod", "initialCooldownPeriod", "scaleUpStabilizationTime", "scaleDownStabilizationTime",
    "cloudWatchTrigger", "cloudWatchTriggerList", "prometheusTrigger", "prometheusTriggerList",
)  # fmt: skip
"""The fields of an autoScalingSpec that say when to scale, rather than how far."""


def kept(given: Set[str]) -> Iterator[tuple[str, str]]:
    """Each field of `given` that has no counterpart, with what is said of it."""
    yield from ((path, why) for path, why in KEPT.items() if path in given)
    for path in sorted(given):
        holder, _, name = path.rpartition(".")
        if name in TRIGGERS and not holder.startswith("spec.intelligentRoutingSpec."):
            yield path, _SCALING
