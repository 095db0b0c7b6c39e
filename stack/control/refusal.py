"""Why a command is not carried out."""

from __future__ import annotations


class RefusedError(ValueError):
    """A command that makes no sense or would do harm. `field` is a dotted path; the message tells an operator why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field, self.message = field, message
