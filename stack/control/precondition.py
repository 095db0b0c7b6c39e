"""The silent preconditions of a fleet, as an examination found them."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """What a check came to."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not_applicable"  # of something this fleet does not use


class Precondition(msgspec.Struct, frozen=True, kw_only=True):
    """One of them: `evidence` says what was found or, where that is unknown, what would let it be known.

    `why` it matters, and the `fix` where it does not hold.
    """

    id: str
    group: str
    title: str
    verdict: Verdict
    evidence: str
    why: str
    fix: str
