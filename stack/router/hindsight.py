"""How good choices were: counted and timed when requests are over, and when others have decided along."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry

from stack.adapters.instruments import counter
from stack.adapters.tally import Counters, Spreads
from stack.metrics import catalog
from stack.router.errand import Errand
from stack.router.verdict import index_error_tokens, regret_tokens, ttft_error_seconds
from stack.strategies.shadow import Shadow


class Hindsight:
    """The instruments of regret, of errors and of shadows, registered in `registry`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._regret = Spreads(catalog.ROUTER_REGRET, registry)
        self._index_error = Spreads(catalog.ROUTER_INDEX_ERROR, registry)
        self._ttft_error = Spreads(catalog.ROUTER_TTFT_ERROR, registry)
        self._shadows = Counters(catalog.ROUTER_SHADOW_DECISIONS, registry)
        self._tokens = Spreads(catalog.ROUTER_SHADOW_TOKENS, registry)
        self._seconds = Spreads(catalog.ROUTER_SHADOW_SECONDS, registry)
        self._spent = counter(catalog.ROUTER_SHADOW_COST, registry)
        self._skipped = Counters(catalog.ROUTER_SHADOW_SKIPPED, registry)

    def answered(self, errand: Errand) -> None:
        """A request was answered, and it may be told how its choice turned out."""
        plan, route = errand.plan, errand.route
        model, strategy = route.model, plan.prefill_strategy or plan.decode_strategy
        if route.placement.engines and (regret := regret_tokens(errand)) is not None:
            self._regret(model, strategy).observe(regret)
        if (tokens := index_error_tokens(errand)) is not None:
            self._index_error(model, strategy).observe(tokens)
        if (errand.began or plan.prefill is not None) and (seconds := ttft_error_seconds(errand)) is not None:
            self._ttft_error(model, strategy).observe(seconds)

    def shadowed(self, model: str, made: Sequence[Shadow], spent: float) -> None:
        """Others decided along, which took `spent` CPU seconds."""
        self._spent.inc(spent)
        for shadow in made:
            self._shadows(model, shadow.strategy, "agrees" if shadow.agrees else "differs").inc()
            if shadow.gained_tokens is not None:
                self._tokens(model, shadow.strategy).observe(shadow.gained_tokens)
            if shadow.gained_seconds is not None:
                self._seconds(model, shadow.strategy).observe(shadow.gained_seconds)

    def skipped(self, model: str) -> None:
        """A sampled request got no shadows: they had their share of time."""
        self._skipped(model).inc()
