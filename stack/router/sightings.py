"""What an observing router saw: series of their own, never mixed with those of requests that were routed."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from stack.adapters.tally import Counters
from stack.control.decision import status_class
from stack.metrics import catalog
from stack.router.errand import Errand
from stack.router.meters import Meters
from stack.strategies.shadow import Shadow


class Sightings:
    """The instruments of mirrored requests, registered in `registry`; a failure of this router's own is one of `meters`'."""

    def __init__(self, registry: CollectorRegistry, meters: Meters) -> None:
        self._meters = meters
        self._requests = Counters(catalog.ROUTER_OBSERVED_REQUESTS, registry)
        self._undecided = Counters(catalog.ROUTER_OBSERVED_UNDECIDED, registry)
        self._prompt = Counters(catalog.ROUTER_OBSERVED_PROMPT_TOKENS, registry)
        self._cached = Counters(catalog.ROUTER_OBSERVED_CACHED_TOKENS, registry)

    def observed(self, errand: Errand) -> None:
        """A mirrored request was decided, by the configured strategy and by all others."""
        route, acting = errand.route, errand.computing
        model = route.model
        self._requests(model, acting.strategy, errand.path).inc()
        held = route.placement.engines.get(acting.choice.engine)
        gains = [(shadow.strategy, shadow.gained_tokens) for shadow in errand.shadows]
        if held is None or any(gained is None for _, gained in gains):
            return
        self._prompt(model).inc(route.prompt_tokens)
        for strategy, gained in ((acting.strategy, 0), *gains):
            self._cached(model, strategy).inc(held.cached_tokens + (gained or 0))

    def undecided(self, status: int) -> None:
        """A mirrored request could not have been served, for it was answered with `status`."""
        self._undecided(status_class(status)).inc()

    def failed(self) -> None:
        """This router's own code failed."""
        self._meters.failed("observe")

    def shadowed(self, model: str, made: Sequence[Shadow], spent: float) -> None:
        """Nothing to count here: the record has it, and `observed` counts that."""

    def skipped(self, model: str) -> None:
        """Nothing to count here: without the others' decisions, a request is in no comparison."""
