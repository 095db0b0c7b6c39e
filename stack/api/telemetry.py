"""Control's own metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import counter, samples
from stack.api.board import Board
from stack.api.refusal import Refusal
from stack.control.audit import Outcome
from stack.control.members import Member
from stack.control.mode import Mode
from stack.control.ports import DecisionLog
from stack.fleet.engine import State
from stack.metrics.catalog import (
    CONTROL_CHANGES,
    CONTROL_EXPERIMENT_RUNNING,
    CONTROL_GENERATION,
    CONTROL_KEPT_DECISIONS,
    CONTROL_MODE,
    CONTROL_POOL_REPLICAS,
    CONTROL_REFUSED_REQUESTS,
    CONTROL_SLOW_READERS,
)
from stack.model.tier import Pool

_COUNTED = (Outcome.APPLIED, Outcome.DRY_RUN, Outcome.REFUSED, Outcome.STALE, Outcome.INVALID, Outcome.FAILED)


class Telemetry:
    """Counts changes, and shows desired against observed pools as they are when scraped."""

    def __init__(
        self, board: Board, members: Callable[[], Sequence[Member]], files: DecisionLog | None, mode: Mode = Mode.LIVE
    ) -> None:
        self._registry = CollectorRegistry()
        self._changes = counter(CONTROL_CHANGES, self._registry)
        for outcome in _COUNTED:  # all there from the start, so that a first refusal is a rise and not a new series
            self._changes.labels(outcome.value)
        self._slow_readers = counter(CONTROL_SLOW_READERS, self._registry)
        self._refused = counter(CONTROL_REFUSED_REQUESTS, self._registry)
        for refusal in Refusal:
            self._refused.labels(refusal.value)
        self._registry.register(_Fleet(board, members, mode))
        self._registry.register(_Files(files))

    def count(self, outcome: Outcome) -> None:
        self._changes.labels(outcome.value).inc()

    def slow_reader(self) -> None:
        """Somebody who followed the decisions was too slow."""
        self._slow_readers.inc()

    def refused(self, refusal: Refusal) -> None:
        """Somebody was turned away."""
        self._refused.labels(refusal.value).inc()

    def watch(self, collector: Collector) -> None:
        """Show what `collector` reads, too."""
        self._registry.register(collector)

    def exposition(self) -> bytes:
        """The text for Prometheus."""
        return generate_latest(self._registry)


class _Fleet(Collector):
    def __init__(self, board: Board, members: Callable[[], Sequence[Member]], mode: Mode) -> None:
        self._board, self._members, self._mode = board, members, mode

    def describe(self) -> Iterable[Metric]:
        families = (CONTROL_GENERATION, CONTROL_MODE, CONTROL_EXPERIMENT_RUNNING, CONTROL_POOL_REPLICAS)
        return [samples(family) for family in families]

    def collect(self) -> Iterator[Metric]:
        generation = samples(CONTROL_GENERATION)
        generation.add_sample(CONTROL_GENERATION.name, {}, self._board.generation)
        yield generation
        mode = samples(CONTROL_MODE)
        mode.add_sample(CONTROL_MODE.name, {"mode": self._mode.value}, 1)
        yield mode
        running = samples(CONTROL_EXPERIMENT_RUNNING)
        for model in self._board.desired.models:
            running.add_sample(CONTROL_EXPERIMENT_RUNNING.name, {"model_name": model}, int(model in self._board.trials))
        yield running
        replicas = samples(CONTROL_POOL_REPLICAS)
        members = self._members()
        for model, state in self._board.desired.models.items():
            desired = {Pool.PREFILL: state.pools.prefill.replicas, Pool.DECODE: state.pools.decode.replicas}
            for pool, wanted in desired.items():
                states = [member.state for member in members if (member.model, member.pool) == (model, pool)]
                counts = {state.value: states.count(state) for state in (State.READY, State.DRAINED)}
                for name, value in ({"desired": wanted} | counts).items():
                    labels = {"model_name": model, "pool": pool.value, "state": name}
                    replicas.add_sample(CONTROL_POOL_REPLICAS.name, labels, value)
        yield replicas


class _Files(Collector):
    def __init__(self, files: DecisionLog | None) -> None:
        self._files = files

    def describe(self) -> Iterable[Metric]:
        return [samples(CONTROL_KEPT_DECISIONS)]

    def collect(self) -> Iterator[Metric]:
        kept = samples(CONTROL_KEPT_DECISIONS)
        if self._files is not None:
            state = self._files.state()
            for name, value in (("written", state.written), ("lost", state.lost)):
                kept.add_sample(CONTROL_KEPT_DECISIONS.name, {"state": name}, value)
        yield kept
