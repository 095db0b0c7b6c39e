"""The questions about how hard either pool is pressed: by model and pool, told apart by the label `quantity`."""

from __future__ import annotations

from collections.abc import Mapping

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, named, rate, ratio, selector, total
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Source, Tier

_POOL = (Label.MODEL_NAME, Label.POOL)
_BY = (*_POOL, Label.QUANTITY)
STEP = "15s"
"""How often the gauges are looked at for the share of the time that engines are busy: no engine counts the time itself."""


def pressure(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """Everything that an advice about the pools rests on, of the last `window`."""
    waiting, running = ({**where, Label.STATE: state} for state in ("waiting", "running"))
    each = total(selector(catalog.ENGINE_REQUESTS, running), (*_POOL, Label.REPLICA))
    computed = {**where, Label.SOURCE: Source.COMPUTED}
    parts = {
        "engines": aggregate("count", selector(catalog.TARGET_INFO, where), _POOL),
        "waiting": total(f"avg_over_time({selector(catalog.ENGINE_REQUESTS, waiting, window=window)})", _POOL),
        "running": total(f"avg_over_time({selector(catalog.ENGINE_REQUESTS, running, window=window)})", _POOL),
        "busy": aggregate("avg", f"avg_over_time(({each} > bool 0)[{window}:{STEP}])", _POOL),
        "used": aggregate("max", selector(catalog.CACHE_USED_RATIO, {**where, Label.TIER: Tier.ENGINE}), _POOL),
        "computed": rate(catalog.PROMPT_TOKENS, _POOL, computed, window),
        "generated": rate(catalog.ENGINE_GENERATED_TOKENS, _POOL, where, window),
        "queue": _mean("queue", where, window),
        "prefill": _mean("prefill", where, window),
        "preemptions": rate(catalog.ENGINE_PREEMPTIONS, _POOL, where, window),
    }
    text = (
        "Of each pool: engines listed; requests waiting in and running on them, means; busy: of the looks at it, one "
        f"every {STEP}, the share at which an engine ran anything; used: share of the KV cache of the fullest engine; prompt "
        "tokens computed and tokens generated a second; mean seconds of a request in an engine's queue and its prefill; "
        "preemptions a second."
    )
    return Query(_joined(parts), "", _BY, text)


def course(where: Where = EVERYWHERE) -> Query:
    """What of it a chart shows."""
    engines = aggregate("count", selector(catalog.TARGET_INFO, where), _POOL)
    waiting = total(selector(catalog.ENGINE_REQUESTS, {**where, Label.STATE: "waiting"}), _POOL)
    parts = {
        "waiting": ratio(waiting, engines),
        "used": aggregate("max", selector(catalog.CACHE_USED_RATIO, {**where, Label.TIER: Tier.ENGINE}), _POOL),
    }
    text = "Of each pool: requests that wait for each engine, and the used share of the fullest engine's own KV cache."
    return Query(_joined(parts), "", _BY, text)


def _mean(phase: str, where: Where, window: str) -> str:
    of = {**where, Label.PHASE: phase}
    return ratio(*(rate(catalog.ENGINE_PHASE_DURATION, _POOL, of, window, part) for part in ("_sum", "_count")))


def _joined(parts: Mapping[str, str]) -> str:
    return " or ".join(named(expression, Label.QUANTITY, name) for name, expression in parts.items())
