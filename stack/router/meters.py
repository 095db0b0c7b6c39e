"""The router's events, counted and timed."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from stack.adapters.tally import Counters, Spreads
from stack.control.decision import DecisionRecord, status_class
from stack.metrics import catalog
from stack.metrics.family import Label

# Label values where no served model is involved: a client's words never become one.
NO_MODEL = "none"


class Meters:
    """One router's instruments, registered in `registry`. Called when the answer is out, never before."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counters(catalog.ROUTER_REQUESTS, registry)
        self._decisions = Counters(catalog.ROUTER_DECISIONS, registry)
        self._fallbacks = Counters(catalog.ROUTER_FALLBACKS, registry)
        self._limited = Counters(catalog.ROUTER_LIMITED, registry)
        self._errors = Counters(catalog.ROUTER_INTERNAL_ERRORS, registry)
        self._ejections = Counters(catalog.ROUTER_EJECTIONS, registry)
        self._evicted = Counters(catalog.CACHE_EVICTED_BLOCKS, registry)
        self._event_gaps = Counters(catalog.ROUTER_EVENT_GAPS, registry)
        self._phases = Spreads(catalog.ROUTER_PHASE_DURATION, registry)
        self._ttft = Spreads(catalog.ROUTER_TTFT, registry)
        self._gaps = Spreads(catalog.ROUTER_ITL, registry)

    def answered(self, record: DecisionRecord, gaps: Sequence[float]) -> None:
        """One routed request is over; `gaps` are the seconds between its tokens."""
        model, path = record.model, record.path
        self._requests(model, path, status_class(record.status)).inc()
        self._decisions(model, record.decode.strategy, path, record.engine, record.decode.reason).inc()
        if record.status < 400:  # where a request broke off says nothing about how long a phase takes
            for phase, seconds in record.phases.items():
                self._phases(model, phase, path).observe(seconds)
        if record.streamed and record.ttft_seconds is not None:
            self._ttft(model, path).observe(record.ttft_seconds)
        if gaps:
            observe = self._gaps(model, path).observe
            for gap in gaps:
                observe(gap)

    def unrouted(self, model: str, status: int) -> None:
        """A request for a served model ended without a decision."""
        self._requests(model, "none", status_class(status)).inc()

    def limited(self, model: str, reason: str) -> None:
        """A request was refused because of a limit. `reason` is of a closed set."""
        self._limited(model, reason).inc()

    def fell_back(self, model: str, reason: str) -> None:
        """A request was not served the way the configuration asks for. `reason` is of a closed set."""
        self._fallbacks(model, reason).inc()

    def failed(self, site: str) -> None:
        """The router's own code failed at `site`, off the request's path."""
        self._errors(site).inc()

    def ejected(self, model: str, pool: str, backend: str) -> None:
        """An engine gets no new requests for a while, because too many failed there."""
        self._ejections(model, pool, backend).inc()

    def evicted(self, model: str, pool: str, backend: str, blocks: int) -> None:
        """Blocks left the engine's own cache."""
        self._evicted(model, pool, backend).inc(blocks)

    def event_gap(self, model: str, backend: str, state: str) -> None:
        """KV events of an engine were missed; `state` is recovered or lost."""
        self._event_gaps(model, backend, state).inc()

    def forget(self, backend: str) -> None:
        """The engine left: its series end."""
        for family, children in (
            (catalog.ROUTER_DECISIONS, self._decisions),
            (catalog.ROUTER_EJECTIONS, self._ejections),
            (catalog.CACHE_EVICTED_BLOCKS, self._evicted),
            (catalog.ROUTER_EVENT_GAPS, self._event_gaps),
        ):
            children.drop(family.labels.index(Label.BACKEND), backend)
