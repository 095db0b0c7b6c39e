"""Which pods are engines, and what their labels say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from stack.kube.objects import Pod
from stack.kube.pod_phase import unready
from stack.model.target import Target
from stack.model.tier import Pool

# Where HyperPod's operator, and llm-d and KServe, write the role of a pod.
ROLE_LABELS = ("inference.sagemaker.aws.amazon.com/dpd-role", "llm-d.ai/role")
ALL_NAMESPACES = "*"
_PREFILL = frozenset({"prefill", "encode-prefill"})
# Pods of other phases have not begun or have ended for good. Unknown: their node is silent, they may well serve.
_ALIVE = frozenset({"Running", "Unknown"})


@dataclass(frozen=True, slots=True)
class Selection:
    """Pods to read: those of `namespaces` (the asker's own where there are none) that `selector` matches.

    `port` is a number, or the name of a port that the pod declares; pods that do not are no engines. Who has none of
    `role_labels`, or a role other than prefill's, decodes. `kv_events_port` and `replay_port` are where engines publish KV
    events, None where they do not.
    """

    selector: str
    namespaces: tuple[str, ...] = ()
    port: str = "8000"
    role_labels: tuple[str, ...] = ROLE_LABELS
    kv_events_port: int | None = None
    replay_port: int | None = None


def engines(pods: Iterable[Pod], selection: Selection) -> list[Target]:
    """The engines among `pods`, each named as its pod, with the namespace where pods of several are read.

    Where no pod of a role is ready, all are taken for it: nodes that are cut off, or probes that are too strict, must not take
    a whole pool out of service. Who can be reached is found out anyway.
    """
    found = sorted(_engines(pods, selection), key=lambda target: target.replica)
    serving = {target.pool for target in found if target.ready}
    return [target if target.pool in serving else replace(target, ready=True) for target in found]


def _engines(pods: Iterable[Pod], selection: Selection) -> Iterator[Target]:
    for pod in pods:
        url, named = address(pod, selection), pod.metadata
        if url is None:
            continue
        yield Target(
            replica=engine_name(named.namespace, named.name, selection),
            url=url,
            pool=_pool(named.labels, selection.role_labels),
            model="",
            model_root="",
            namespace=named.namespace,
            kv_events=_endpoint(pod, selection.kv_events_port),
            replay=_endpoint(pod, selection.replay_port),
            leaving=named.deletion_timestamp is not None,
            ready=not unready(pod),
        )


def engine_name(namespace: str, pod: str, selection: Selection) -> str:
    """By which name a pod's engine goes: with its namespace where pods of several are read."""
    several = len(selection.namespaces) > 1 or ALL_NAMESPACES in selection.namespaces
    return f"{namespace}/{pod}" if several else pod


def address(pod: Pod, selection: Selection) -> str | None:
    """The URL of the engine that is in `pod`; None while it cannot be reached, or where it is none."""
    port = _port(pod, selection.port)
    if pod.status.phase not in _ALIVE or not pod.status.pod_ip or port is None:
        return None
    return f"http://{_host(pod)}:{port}"


def _endpoint(pod: Pod, port: int | None) -> str | None:
    return None if port is None else f"tcp://{_host(pod)}:{port}"


def _host(pod: Pod) -> str:
    return f"[{pod.status.pod_ip}]" if ":" in pod.status.pod_ip else pod.status.pod_ip


def _port(pod: Pod, wanted: str) -> int | None:
    if wanted.isdecimal():
        return int(wanted)
    return next((port.container_port for port in pod.ports() if port.name == wanted), None)


def _pool(labels: dict[str, str], role_labels: Iterable[str]) -> Pool:
    role = next((labels[label] for label in role_labels if label in labels), "")
    return Pool.PREFILL if role in _PREFILL else Pool.DECODE
