"""What a client makes of control's answers that are not a success, and of none at all."""

from __future__ import annotations

import httpx
import msgspec

from stack.api.schema import ErrorDetail, ErrorView


class ControlError(Exception):
    """Control did not do what it was asked."""


class ControlUnreachableError(ControlError):
    """Nobody answers at control's address, or not in time; the message says where."""


class ControlAnswerError(ControlError):
    """Control answered, and said no. `status` is HTTP's; `code`, `message` and `field` are control's words."""

    def __init__(self, status: int, detail: ErrorDetail) -> None:
        super().__init__(detail.message)
        self.status, self.code, self.message, self.field = status, detail.code, detail.message, detail.field


class StaleError(ControlAnswerError):
    """Somebody changed the state since it was read (409): read it again."""


class RefusedChangeError(ControlAnswerError):
    """The change makes no sense or would do harm (422): the message says why, `field` where."""


class InFlightError(RefusedChangeError):
    """A pool's last change of size is still in flight (422, `in_flight`): the change can be forced."""


class UnauthorizedError(ControlAnswerError):
    """The token is missing or wrong (401, 403)."""


class ReadOnlyError(ControlAnswerError):
    """Control takes no changes in its mode (403, `mode`): the message says what to do instead."""


_ERRORS = {409: StaleError, 422: RefusedChangeError, 401: UnauthorizedError, 403: UnauthorizedError}

_BY_CODE: dict[str, type[ControlAnswerError]] = {"mode": ReadOnlyError, "in_flight": InFlightError}


def refusal(answer: httpx.Response) -> ControlAnswerError:
    """The error that `answer`, which is read and no success, stands for."""
    try:
        detail = msgspec.json.decode(answer.content, type=ErrorView).error
    except msgspec.DecodeError:
        detail = ErrorDetail(code="unknown", message=f"control answered {answer.status_code} without saying why")
    if own := _BY_CODE.get(detail.code):
        return own(answer.status_code, detail)
    return _ERRORS.get(answer.status_code, ControlAnswerError)(answer.status_code, detail)
