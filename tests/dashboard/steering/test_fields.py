"""Fields that are not as desired come first, with the time since and the reason."""

from __future__ import annotations

from dashboard.steering.fields import table
from stack.control.fields import FieldState, Held

FINE = FieldState(field="models.m.dpd.enabled", desired=True, applied=(Held(by=("router-0",), value=True),), observed="1 of 2")
LATE = FieldState(field="models.m.strategy", desired="session", reason="no router reports", since=0.0)


def test_what_differs_comes_first() -> None:
    rows = table((FINE, LATE)).to_dict("records")
    assert rows[0].pop("differs since")
    assert rows == [
        {"field": "models.m.strategy", "desired": "session", "applied": "unknown", "observed": "", "why": "no router reports"},
        {
            "field": "models.m.dpd.enabled",
            "desired": "true",
            "applied": "true",
            "observed": "1 of 2",
            "differs since": "",
            "why": "",
        },
    ]
