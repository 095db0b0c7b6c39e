"""Refusals in vLLM's OpenAI shape."""

from __future__ import annotations

from starlette.responses import JSONResponse


class ApiError(Exception):
    """An answer that is an error. `kind` is vLLM's `type`, such as BadRequestError."""

    def __init__(self, status: int, kind: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.param = param

    def response(self) -> JSONResponse:
        """The HTTP answer."""
        error = {"message": str(self), "type": self.kind, "param": self.param, "code": self.status}
        return JSONResponse({"error": error}, status_code=self.status)


def bad_request(message: str, param: str | None = None) -> ApiError:
    """400, as the engine says it."""
    return ApiError(400, "BadRequestError", message, param)


def unknown_model(model: str) -> ApiError:
    """404, as the engine says it."""
    return ApiError(404, "NotFoundError", f"The model `{model}` does not exist.", "model")
