"""A comparison as Markdown."""

from __future__ import annotations

from stack.bench.arm import Measured
from stack.bench.comparison_table import markdown
from stack.traffic.report import ALL, Quantiles, Row, Summary


def _measured(strategy: str, ttft: float | None, paths: dict[str, int]) -> Measured:
    times = None if ttft is None else Quantiles(ttft, 2 * ttft, 3 * ttft)
    cached = None if ttft is None else 50
    row = Row(
        requests=10, failed=1, first_token=times, token_gap=times, total=times, prompt_tokens=cached and 100, cached_tokens=cached
    )
    summary = Summary(seconds=1, requests=10, failures={}, skipped=2, too_long=0, paths=paths, kinds={ALL: row})
    return Measured(shape="1+2", scenario="chat", strategy=strategy, summary=summary)


def test_strategies_stand_beside_the_first_and_the_unknown_is_said() -> None:
    arms = [
        _measured("round_robin", 0.4, {"direct": 5, "dpd": 5}),
        _measured("kv_aware", 0.1, {"direct": 9}),
        _measured("session", None, {}),
    ]
    lines = markdown(arms, "emulated").splitlines()
    assert lines[0] == "Engines: emulated."
    assert lines[4:] == [
        "| 1+2 | chat | round_robin | 10 | 3 | 400 ms | +0% | 800 ms | 1,200 ms | 50% | 50% |",
        "| 1+2 | chat | kv_aware | 10 | 3 | 100 ms | -75% | 200 ms | 300 ms | 50% | 0% |",
        "| 1+2 | chat | session | 10 | 3 | unknown | unknown | unknown | unknown | unknown | unknown |",
    ]
