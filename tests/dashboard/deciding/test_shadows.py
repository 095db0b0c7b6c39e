"""What the other strategies would have been worth."""

from __future__ import annotations

from dashboard.deciding.shadows import compared
from stack.control.decision import ShadowChoice
from tests.decisions import decision


def _shadow(strategy: str, agrees: bool, tokens: int | None, seconds: float | None) -> ShadowChoice:
    return ShadowChoice(
        strategy=strategy, engine="decode-0", reason="turn", agrees=agrees, gained_tokens=tokens, gained_seconds=seconds
    )


def test_each_strategy_is_a_row_and_what_is_unknown_is_no_zero() -> None:
    decisions = [
        decision(shadows=(_shadow("session", True, 0, 0.0), _shadow("kv_aware", False, None, None))),
        decision(shadows=(_shadow("session", False, -128, -0.5),)),
        decision(),
    ]
    frame = compared(decisions)
    assert frame.columns.tolist() == ["strategy", "decided along", "agreed", "more cached tokens", "sooner by"]
    assert frame.iloc[1].tolist() == ["session", 2, 50.0, -64.0, -0.25]
    assert frame.iloc[0].tolist()[:3] == ["kv_aware", 1, 0.0]
    assert frame.iloc[0][["more cached tokens", "sooner by"]].isna().all()


def test_without_shadows_there_is_nothing_to_compare() -> None:
    assert compared([decision()]).empty
