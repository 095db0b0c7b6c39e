"""The router's events, counted and timed."""

from __future__ import annotations

from prometheus_client import CollectorRegistry

from stack.adapters.tally import Count, Counters, Spread, Spreads
from stack.control.decision import status_class
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.router.errand import Errand
from stack.router.phases import Phase, phases

# Label values where no served model is involved: a client's words never become one.
NO_MODEL = "none"


_Kind = tuple[str, bool, str, str, str, int]  # model, direct or not, engine, strategy, reason, status


class _Series:
    """What requests of one kind are counted in."""

    __slots__ = ("decisions", "phases", "requests")

    def __init__(self, requests: Count, decisions: Count) -> None:
        self.requests = requests
        self.decisions = decisions
        self.phases: dict[Phase, Spread] = {}


class Meters:
    """One router's instruments, registered in `registry`. Called when the answer is out, never before."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counters(catalog.ROUTER_REQUESTS, registry)
        self._decisions = Counters(catalog.ROUTER_DECISIONS, registry)
        self._fallbacks = Counters(catalog.ROUTER_FALLBACKS, registry)
        self._limited = Counters(catalog.ROUTER_LIMITED, registry)
        self._collected = Counters(catalog.ROUTER_COLLECTED, registry)
        self._errors = Counters(catalog.ROUTER_INTERNAL_ERRORS, registry)
        self._ejections = Counters(catalog.ROUTER_EJECTIONS, registry)
        self._evicted = Counters(catalog.CACHE_EVICTED_BLOCKS, registry)
        self._event_gaps = Counters(catalog.ROUTER_EVENT_GAPS, registry)
        self._phases = Spreads(catalog.ROUTER_PHASE_DURATION, registry)
        self._ttft = Spreads(catalog.ROUTER_TTFT, registry)
        self._gaps = Spreads(catalog.ROUTER_ITL, registry)
        self._found: dict[_Kind, _Series] = {}

    def answered(self, errand: Errand) -> None:
        """One routed request is over."""
        series = self._series_of(errand)
        series.requests.value += 1.0
        series.decisions.value += 1.0
        if errand.status < 400:  # where a request broke off says nothing about how long a phase takes
            observed = series.phases
            for phase, seconds in phases(errand.timeline).items():
                spread = observed.get(phase)
                if spread is None:
                    spread = observed[phase] = self._phases(errand.route.model, phase, errand.path)
                spread.observe(seconds)
        if errand.streamed:
            self._streamed(errand)

    def _streamed(self, errand: Errand) -> None:
        model, path, ttft = errand.route.model, errand.path, errand.timeline.ttft
        if ttft is not None:
            self._ttft(model, path).observe(ttft)
        if errand.gaps:
            observe = self._gaps(model, path).observe
            for gap in errand.gaps:
                observe(gap)

    def _series_of(self, errand: Errand) -> _Series:
        """The series that every request like `errand` belongs to, found together."""
        plan = errand.plan
        choice = plan.decode
        key = errand.route.model, errand.prefill_engine is None, errand.engine, plan.decode_strategy, choice.reason, errand.status
        series = self._found.get(key)
        if series is None:
            model, path = errand.route.model, errand.path
            requests = self._requests(model, path, status_class(errand.status))
            decisions = self._decisions(model, plan.decode_strategy, path, errand.engine, choice.reason)
            series = self._found[key] = _Series(requests, decisions)
        return series

    def unrouted(self, model: str, status: int) -> None:
        """A request for a served model ended without a decision."""
        self._requests(model, "none", status_class(status)).inc()

    def collected(self, model: str, reason: str, worked: bool) -> None:
        """KV that nobody came for was fetched, or could not be."""
        self._collected(model, reason, "done" if worked else "failed").inc()

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
        self._found.clear()
        for family, children in (
            (catalog.ROUTER_DECISIONS, self._decisions),
            (catalog.ROUTER_EJECTIONS, self._ejections),
            (catalog.CACHE_EVICTED_BLOCKS, self._evicted),
            (catalog.ROUTER_EVENT_GAPS, self._event_gaps),
        ):
            children.drop(family.labels.index(Label.BACKEND), backend)
