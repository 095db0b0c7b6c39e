"""The InferenceEndpointConfig (version v1, operator 3.2), as far as kvdeck reads or writes it.

Defaults and bounds are those of the CustomResourceDefinition that the operator ships
(github.com/aws/sagemaker-hyperpod-cli, helm_chart/HyperPodHelmChart/charts/inference-operator/config/crd); a test compares them
where that file is at hand. What is only handed on is an object, with what must be in it.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from stack.kube.hyperpod.part import Count, Int32, Object, OneOrMore, Part
from stack.kube.hyperpod.worker import ModelSource, Worker

GROUP = "inference.sagemaker.aws.amazon.com"
KIND = "InferenceEndpointConfig"
API_VERSION = f"{GROUP}/v1"
OLD_API_VERSION = f"{GROUP}/v1alpha1"

NAME_MAX = 63
Strategy = Literal["prefixaware", "kvaware", "session", "roundrobin"]


class AutoScaling(Part, frozen=True):
    """What KEDA is told; what triggers it is handed on."""

    min_replica_count: Count = 1
    max_replica_count: Count = 5
    polling_interval: Count = 30
    cooldown_period: Count = 300
    initial_cooldown_period: Count = 300
    scale_up_stabilization_time: Count = 0
    scale_down_stabilization_time: Count = 300
    cloud_watch_trigger: Object | None = None
    cloud_watch_trigger_list: Annotated[list[Object], msgspec.Meta(max_length=100)] | None = None
    prometheus_trigger: Object | None = None
    prometheus_trigger_list: Annotated[list[Object], msgspec.Meta(max_length=100)] | None = None


class Routing(Part, frozen=True):
    """Without it requests go through the load balancer alone."""

    enabled: bool = False
    routing_strategy: Strategy = "prefixaware"
    auto_scaling_spec: AutoScaling | None = None


class L2Cache(Part, frozen=True):
    """The pattern is the server's: anything with one of the two words in it passes."""

    l2_cache_backend: Annotated[str, msgspec.Meta(pattern="(?i)redis|tieredstorage")] | None = None
    l2_cache_local_url: str | None = None


class KvCache(Part, frozen=True):
    """`cache_config_file` overrides the rest. Without any of this L1 is on."""

    enable_l1_cache: bool = True
    enable_l2_cache: bool = False
    l2_cache_spec: L2Cache | None = None
    cache_config_file: str | None = None


class Role(Part, frozen=True):
    """One pool of a disaggregated endpoint; `args` are appended to the worker's."""

    replicas: OneOrMore = 1
    args: list[str] | None = None
    node_selector: dict[str, str] | None = None
    resources: Object | None = None


class Topology(Part, frozen=True):
    availability_zone: str | None = None
    placement_group: str | None = None
    same_az: bool = msgspec.field(default=True, name="sameAZ")


class RoleScaling(Part, frozen=True):
    prefill_auto_scaling: AutoScaling | None = None
    decoding_auto_scaling: AutoScaling | None = None


class Disaggregation(Part, frozen=True):
    """Its presence is what disaggregates. `routing_threshold` is compared as kvdeck's is: tokens >= threshold."""

    prefill_spec: Role
    decoding_spec: Role
    routing_threshold: Count = 4096
    topology_spec: Topology | None = None
    auto_scaling_spec: RoleScaling | None = None


class Spec(Part, frozen=True):
    """Objects that kvdeck neither reads nor writes are as they are."""

    model_name: Annotated[str, msgspec.Meta(max_length=NAME_MAX, pattern="^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")]
    model_source_config: ModelSource
    worker: Worker
    initial_replica_count: Int32 | None = msgspec.field(default=None, name="InitialReplicaCount")
    replicas: Int32 = 1
    endpoint_name: Annotated[str, msgspec.Meta(max_length=NAME_MAX, pattern="^$|^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$")] | None = None
    model_version: str | None = None
    instance_type: Annotated[str, msgspec.Meta(pattern=r"^ml\..*")] | None = None
    instance_types: list[str] | None = None
    invocation_endpoint: str = "invocations"
    max_deploy_time_in_seconds: Int32 = 3600
    intelligent_routing_spec: Routing | None = None
    kv_cache_spec: KvCache | None = None
    pd_spec: Disaggregation | None = None
    auto_scaling_spec: AutoScaling | None = None
    metrics: Object | None = None
    load_balancer: Object | None = None
    tls_config: Object | None = None
    dns_config: Object | None = None
    tags: list[Object] | None = None
    node_affinity: Object | None = None
    kubernetes: Object | None = None
    data_capture: Object | None = None


SINCE_V1 = (
    "instanceTypes", "pdSpec", "dnsConfig", "nodeAffinity", "dataCapture", "kubernetes", "intelligentRoutingSpec", "kvCacheSpec",
)  # fmt: skip
"""Fields that v1alpha1, which is served still, has not; it has fewer of a worker's as well."""
_SINCE_V1_ATTRIBUTES = tuple(f.name for f in msgspec.structs.fields(Spec) if f.encode_name in SINCE_V1)


class Resource(Part, frozen=True):
    """What it is called and which namespace it is in are the metadata's; its status tells nothing of any of this."""

    api_version: Literal["inference.sagemaker.aws.amazon.com/v1", "inference.sagemaker.aws.amazon.com/v1alpha1"]
    kind: Literal["InferenceEndpointConfig"]
    spec: Spec
    metadata: Object = msgspec.field(default_factory=dict)
    status: Object | None = None

    @property
    def name(self) -> str:
        return str(self.metadata.get("name", ""))

    @property
    def known_spec(self) -> Spec:
        """The spec without what its version does not have."""
        if self.api_version == API_VERSION:
            return self.spec
        return msgspec.structs.replace(self.spec, **dict.fromkeys(_SINCE_V1_ATTRIBUTES))
