"""Answers about the fleet's silent preconditions, for both sides."""

from __future__ import annotations

import msgspec

from stack.control.precondition import Precondition


class DoctorView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/doctor`: the last examination that came to an end, and whether another one is under way.

    `checks` are null before the first one; `at` is when they were found (Unix seconds), `age_seconds` how long ago. `error` says
    why the last examination came to nothing; then `checks` are those of one before it.
    """

    checks: tuple[Precondition, ...] | None = None
    at: float | None = None
    age_seconds: float | None = None
    took_seconds: float | None = None
    running_seconds: float | None = None
    error: str | None = None
