"""What a pod says of the engine in it."""

from __future__ import annotations

from stack.control.machinery import Phase
from stack.kube.objects import Pod

READY = "Ready"
_DEFECTS = frozenset({"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError", "InvalidImageName"})
_ENDED = frozenset({"Failed", "Succeeded"})


def ended(pod: Pod) -> bool:
    """Whether it has ended for good: its workload has another one in its place."""
    return pod.status.phase in _ENDED


def unready(pod: Pod) -> bool:
    """Whether its node says that it is not ready. A pod of which nobody says so may be: probes tell."""
    condition = pod.status.condition(READY)
    return condition is not None and condition.status != "True"


def phase(pod: Pod) -> tuple[Phase, str]:
    """How far it is, and what is in its way."""
    if pod.metadata.deletion_timestamp is not None:
        return Phase.ENDING, "its pod is being ended"
    if defects := "; ".join(_defects(pod)):
        return Phase.DOWN, defects
    if pod.status.phase == "Unknown":
        return Phase.DOWN, "its node does not answer"
    if pod.status.phase != "Running":
        return Phase.STARTING, _unscheduled(pod)
    if unready(pod):
        condition = pod.status.condition(READY)
        return Phase.STARTING, "its pod is not ready" + (f": {condition.message}" if condition and condition.message else "")
    return Phase.RUNNING, ""


def turn(pod: Pod) -> int:
    """Its place among the pods that a ReplicaSet ends when it shrinks, before pod-deletion-cost counts; the last is 5.

    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost
    """
    if not pod.spec.node_name and pod.status.phase != "Running":
        return 1
    if pod.status.phase != "Running":
        return {"Pending": 2, "Unknown": 3}.get(pod.status.phase, 2)
    return 4 if unready(pod) else 5


def _defects(pod: Pod) -> list[str]:
    waiting = [(status.name, status.state.waiting) for status in pod.status.container_statuses]
    return [f"{name}: {why.reason} {why.message}".strip() for name, why in waiting if why is not None and why.reason in _DEFECTS]


def _unscheduled(pod: Pod) -> str:
    scheduled = pod.status.condition("PodScheduled")
    if scheduled is None or scheduled.status == "True":
        return "its pod starts"
    return f"its pod is not scheduled: {scheduled.message or scheduled.reason}"
