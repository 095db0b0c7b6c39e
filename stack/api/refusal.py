"""Why a request is turned away before anybody looks at what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Refusal(StrEnum):
    """The codes of such answers, and the reasons by which they are counted."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    MODE = "mode"


Refused = Callable[[Refusal], None]
"""Hears of every request that is turned away."""
