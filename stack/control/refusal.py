"""Why a command is not carried out."""

from __future__ import annotations

from typing import ClassVar


class RefusedError(ValueError):
    """A command that makes no sense or would do harm. `field` is a dotted path; the message tells an operator why."""

    code: ClassVar[str] = "refused"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field, self.message = field, message


class InFlightError(RefusedError):
    """A pool's size is to change before its last change has got there: the one refusal that can be forced."""

    code: ClassVar[str] = "in_flight"
