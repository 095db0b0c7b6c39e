from __future__ import annotations

import msgspec
import pytest

from stack.router.errors import error_body


def test_an_error_has_the_shape_clients_expect() -> None:
    assert error_body(400, "no", param="model", code="model_required") == (
        b'{"error":{"message":"no","type":"invalid_request_error","param":"model","code":"model_required"}}'
    )


@pytest.mark.parametrize(
    ("status", "type"),
    [
        (401, "authentication_error"),
        (404, "not_found_error"),
        (413, "invalid_request_error"),
        (429, "rate_limit_error"),
        (503, "server_error"),
    ],
)
def test_its_type_follows_from_the_status(status: int, type: str) -> None:
    assert msgspec.json.decode(error_body(status, "no"))["error"]["type"] == type
