"""Decision records for tests."""

from __future__ import annotations

from typing import Any

from stack.control.decision import DecisionRecord, Selection


def decision(*, strategy: str = "kv_aware", reason: str = "most_cached", **fields: Any) -> DecisionRecord:
    """A request that went straight to decode-0; `fields` say what is different."""
    engine = fields.get("engine", "decode-0")
    plain: dict[str, Any] = {
        "request_id": "r",
        "at": 1_700_000_000.0,
        "generation": 1,
        "model": "smollm2",
        "path": "direct",
        "path_reason": "below_threshold",
        "decode": Selection(strategy=strategy, engine=engine, reason=reason),
        "engine": engine,
        "prompt_tokens": 181,
        "tokens_exact": True,
        "threshold": 512,
        "status": 200,
    }
    return DecisionRecord(**plain | fields)


def disaggregated(*, strategy: str = "kv_aware", prefill_engine: str = "prefill-0", **fields: Any) -> DecisionRecord:
    """A request that took prefill-0, then decode-0."""
    prefill = Selection(strategy=strategy, engine=prefill_engine, reason="most_cached")
    way: dict[str, Any] = {"path": "dpd", "path_reason": "at_threshold", "prefill": prefill, "prompt_tokens": 1533}
    return decision(strategy=strategy, prefill_engine=prefill_engine, **way | fields)
