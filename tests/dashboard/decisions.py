"""Decision records for tests."""

from __future__ import annotations

from typing import Any

from stack.control.link import DecisionRecord


def decision(**fields: Any) -> DecisionRecord:
    """A request that went straight to decode-0; `fields` say what is different."""
    plain: dict[str, Any] = {
        "request_id": "r",
        "at": 1_700_000_000.0,
        "generation": 1,
        "model": "smollm2",
        "strategy": "kv_aware",
        "path": "direct",
        "reason": "most_cached",
        "path_reason": "below_threshold",
        "engine": "decode-0",
        "prompt_tokens": 181,
        "tokens_exact": True,
        "threshold": 512,
        "status": 200,
    }
    return DecisionRecord(**plain | fields)


def disaggregated(**fields: Any) -> DecisionRecord:
    """A request that took prefill-0, then decode-0."""
    way = {"path": "dpd", "path_reason": "at_threshold", "prefill_engine": "prefill-0", "prompt_tokens": 1533}
    return decision(**way | fields)
