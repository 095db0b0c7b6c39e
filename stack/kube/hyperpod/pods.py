"""The pods of an endpoint: which there are, whether they are ready, how their engines were started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from stack.engines.lmcache_variables import READ
from stack.engines.vllm_command import connectors, option
from stack.kube.engine_pods import Selection, address
from stack.kube.hyperpod.worker import Worker
from stack.kube.launched import LaunchedPod, arguments, engine_container
from stack.kube.objects import PodStatus
from stack.model.tier import Pool

ROLE_LABEL = "inference.sagemaker.aws.amazon.com/dpd-role"
ROUTERS_NAMESPACE = "hyperpod-inference-system"
# The router is built from vLLM's production-stack router, whose option this is.
_ROUTING_OPTION = "--routing-logic"
_ROLES = {"prefill": Pool.PREFILL, "decode": Pool.DECODE}


class Condition(msgspec.Struct, frozen=True):
    """One of a pod's conditions."""

    type: str
    status: str


class EndpointPodStatus(PodStatus, frozen=True):
    """Where it is, and what is said of its readiness."""

    conditions: Sequence[Condition] = ()


class EndpointPod(LaunchedPod, frozen=True):
    """A pod, how it was started, and whether it is ready."""

    status: EndpointPodStatus = EndpointPodStatus()

    @property
    def ready(self) -> bool:
        """Its condition says so, and it is not being ended."""
        return self.metadata.deletion_timestamp is None and any(
            one.type == "Ready" and one.status == "True" for one in self.status.conditions
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """An engine's pod; its `url` is None while it cannot be reached.

    Of a variable whose value comes from elsewhere the value is None, and empty where it is not one that is looked at.
    Where no container is known to be the engine's, image and variables are None.
    """

    name: str
    pool: Pool
    url: str | None
    ready: bool
    image: str | None
    variables: Mapping[str, str | None] | None
    connectors: Sequence[Mapping[str, object]] = ()


def seen(pods: Iterable[EndpointPod], name: str, worker: Worker, *, disaggregated: bool) -> tuple[Seen, ...]:
    """The pods of the endpoint `name` among `pods`; of disaggregated ones those of the operator's Deployments, by role.

    By the worker's image the engine's container is known, which may have no command of its own.
    """
    found = [_seen(pod, worker) for pod in pods if not disaggregated or _is_of(pod, name)]
    return tuple(sorted(found, key=lambda one: (one.pool, one.name)))


def strategy_of(routers: Iterable[EndpointPod], name: str, namespace: str) -> str | None:
    """The strategy in the arguments of the endpoint's routers; None where they do not show one, or not the same."""
    named = [pod for pod in routers if pod.metadata.name.startswith(f"{name}-{namespace}-router")]
    told = {option(arguments(container), _ROUTING_OPTION) for pod in named for container in pod.spec.containers} - {None}
    return told.pop() if len(told) == 1 else None


def _is_of(pod: EndpointPod, name: str) -> bool:
    role = pod.metadata.labels.get(ROLE_LABEL, "")
    return role in _ROLES and pod.metadata.name.startswith(f"{role}-{name}-")


def _seen(pod: EndpointPod, worker: Worker) -> Seen:
    name, pool = pod.metadata.name, _ROLES.get(pod.metadata.labels.get(ROLE_LABEL, ""), Pool.DECODE)
    url = address(pod, Selection("", port=str(worker.model_invocation_port.container_port)))
    container = next((one for one in pod.spec.containers if one.image == worker.image), None) or engine_container(pod)
    if container is None:
        return Seen(name, pool, url, pod.ready, None, None)
    variables = {one.name: one.value if one.name in READ else "" for one in container.env}
    return Seen(name, pool, url, pod.ready, container.image, variables, connectors(arguments(container)))
