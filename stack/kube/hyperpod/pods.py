"""The pods of an endpoint: which there are, whether they are ready, how their engines were started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stack.control.machinery import Phase
from stack.engines.lmcache_variables import READ
from stack.engines.vllm_command import connectors, option
from stack.kube.engine_pods import Selection, address
from stack.kube.hyperpod.worker import Worker
from stack.kube.launched import LaunchedPod, arguments, engine_container
from stack.kube.pod_phase import READY, phase
from stack.model.tier import Pool

ROLE_LABEL = "inference.sagemaker.aws.amazon.com/dpd-role"
ROUTERS_NAMESPACE = "hyperpod-inference-system"
# The router is built from vLLM's production-stack router, whose option this is.
_ROUTING_OPTION = "--routing-logic"
_ROLES = {"prefill": Pool.PREFILL, "decode": Pool.DECODE}


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


def seen(pods: Iterable[LaunchedPod], name: str, worker: Worker, *, disaggregated: bool) -> tuple[Seen, ...]:
    """The pods of the endpoint `name` among `pods`; of disaggregated ones those of the operator's Deployments, by role.

    By the worker's image the engine's container is known, which may have no command of its own.
    """
    found = [_seen(pod, worker) for pod in pods if not disaggregated or _is_of(pod, name)]
    return tuple(sorted(found, key=lambda one: (one.pool, one.name)))


@dataclass(frozen=True, slots=True)
class SeenRouters:
    """The operator's routers of an endpoint, and the strategy in their arguments; None where those show none, or several."""

    names: tuple[str, ...]
    strategy: str | None


def routers_of(pods: Iterable[LaunchedPod], name: str, namespace: str) -> SeenRouters:
    """Those of the endpoint `name` of `namespace`, which all run in one namespace of the operator's."""
    own = [pod for pod in pods if pod.metadata.name.startswith(f"{name}-{namespace}-router")]
    told = {option(arguments(container), _ROUTING_OPTION) for pod in own for container in pod.spec.containers} - {None}
    return SeenRouters(tuple(sorted(pod.metadata.name for pod in own)), told.pop() if len(told) == 1 else None)


def _is_of(pod: LaunchedPod, name: str) -> bool:
    role = pod.metadata.labels.get(ROLE_LABEL, "")
    return role in _ROLES and pod.metadata.name.startswith(f"{role}-{name}-")


def _seen(pod: LaunchedPod, worker: Worker) -> Seen:
    name, pool = pod.metadata.name, _ROLES.get(pod.metadata.labels.get(ROLE_LABEL, ""), Pool.DECODE)
    url = address(pod, Selection("", port=str(worker.model_invocation_port.container_port)))
    container = next((one for one in pod.spec.containers if one.image == worker.image), None) or engine_container(pod)
    if container is None:
        return Seen(name, pool, url, _ready(pod), None, None)
    variables = {one.name: one.value if one.name in READ else "" for one in container.env}
    return Seen(name, pool, url, _ready(pod), container.image, variables, connectors(arguments(container)))


def _ready(pod: LaunchedPod) -> bool:
    """It runs, and its condition says so: an operator's pods have one."""
    return phase(pod)[0] is Phase.RUNNING and pod.status.condition(READY) is not None
