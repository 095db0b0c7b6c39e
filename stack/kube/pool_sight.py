"""One pool's workload and its pods at one moment, and what of it is the control plane's business."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_fields

from stack.control.machinery import EngineProcess, Phase, Workload
from stack.kube.autoscalers import Autoscalers
from stack.kube.dial import Dialled
from stack.kube.engine_pods import Selection, address, engine_name, engines
from stack.kube.objects import Pod
from stack.kube.owners import owner, set_by
from stack.kube.pod_phase import ended, phase, turn
from stack.kube.pool_map import PoolWorkload
from stack.kube.workloads import WorkloadKind
from stack.model.target import Target

_AWAITED = "awaited"
_NOT_MADE = "its pod is not made yet"
_REVISION = "pod-template-hash"


@dataclass(frozen=True, slots=True)
class PoolSight:
    """`pods` are all that the workload's selector matches; `ours` is how many replicas kvdeck set last, None if it did not."""

    where: PoolWorkload
    told: Dialled
    pods: tuple[Pod, ...]
    autoscalers: Autoscalers
    selection: Selection
    ours: int | None = None

    @property
    def replicas(self) -> int:
        """How many pods the workload is told to run."""
        return self.told.found.spec.replicas

    @property
    def workload(self) -> Workload:
        """As the control plane sees it."""
        found = self.told.found
        claimed = self.told.claim or owner(self.told.scaled_as or self.where.kind, found, self.autoscalers)
        by = None if self.replicas == self.ours else set_by(found)
        return Workload(self.where.model, self.where.pool, self.where.words, self.replicas, by, claimed, self.told.limit)

    @property
    def alive(self) -> tuple[Pod, ...]:
        """The pods that count towards its replicas."""
        return tuple(pod for pod in self.pods if pod.metadata.deletion_timestamp is None and not ended(pod))

    @property
    def revisions(self) -> int:
        """How many versions of its template run: two while a Deployment rolls out."""
        return len({pod.metadata.labels.get(_REVISION) for pod in self.alive})

    def scaled(self, replicas: int) -> PoolSight:
        """The same once kvdeck has told the workload to run so many."""
        spec = replace_fields(self.told.found.spec, replicas=replicas)
        return replace(self, told=replace(self.told, found=replace_fields(self.told.found, spec=spec)), ours=replicas)

    def name(self, pod: Pod) -> str:
        """The engine's."""
        return self._prefixed(pod.metadata.name)

    def named(self, engine: str) -> Pod | None:
        """The pod of an engine."""
        return next((pod for pod in self.pods if self.name(pod) == engine), None)

    def processes(self) -> Iterator[EngineProcess]:
        """An engine for each pod, and for each that is still to be made."""
        for pod in self.pods:
            if not ended(pod):
                how, detail = phase(pod)
                yield self._process(self.name(pod), how, detail, self._turn(pod), address(pod, self.selection))
        missing = ": ".join(filter(None, [_NOT_MADE, self.told.found.failure]))
        yield from (self._process(name, Phase.STARTING, missing, turn) for name, turn in self.awaited())

    def targets(self) -> Iterator[Target]:
        """The engines that can be reached."""
        for target in engines(self.pods, self.selection):
            yield replace_fields(target, pool=self.where.pool, model=self.where.model, model_root=self.where.model)

    def awaited(self) -> Iterator[tuple[str, int]]:
        """Name and turn of each engine whose pod is still to be made. A StatefulSet's are known before they are."""
        if self.where.kind is WorkloadKind.STATEFUL_SET:
            there = {pod.metadata.name for pod in self.pods if not ended(pod)}
            start = self.told.found.spec.ordinals.start
            yield from (
                (self._prefixed(name), -number)
                for number in range(start, start + self.replicas)
                if (name := f"{self.where.name}-{number}") not in there
            )
            return
        missing = self.replicas - len(self.alive)
        yield from ((self._prefixed(f"{self.where.name}-{_AWAITED}-{number}"), 0) for number in range(1, missing + 1))

    def last(self) -> str:
        """The engine that a StatefulSet ends next: the one with the highest ordinal."""
        return self._prefixed(f"{self.where.name}-{self.told.found.spec.ordinals.start + self.replicas - 1}")

    def following(self, by: int) -> tuple[str, ...]:
        """The names of the next `by` engines, where they are known before their pods are made."""
        if self.where.kind is not WorkloadKind.STATEFUL_SET:
            return ()
        first = self.told.found.spec.ordinals.start + self.replicas
        return tuple(self._prefixed(f"{self.where.name}-{number}") for number in range(first, first + by))

    def _turn(self, pod: Pod) -> int:
        if self.where.kind is WorkloadKind.DEPLOYMENT:
            return turn(pod)
        ordinal = pod.metadata.name.rpartition("-")[2]
        return -int(ordinal) if ordinal.isdecimal() else 0

    def _prefixed(self, name: str) -> str:
        return engine_name(self.where.namespace, name, self.selection)

    def _process(self, name: str, how: Phase, detail: str, turn: int, url: str | None = None) -> EngineProcess:
        return EngineProcess(name, self.where.model, self.where.pool, how, url, detail, turn)
