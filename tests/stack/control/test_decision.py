"""What is kept of a decision."""

import pytest

from stack.control.decision import status_class


@pytest.mark.parametrize(("status", "expected"), [(200, "2xx"), (404, "4xx"), (499, "aborted"), (504, "5xx")])
def test_statuses_have_classes(status: int, expected: str) -> None:
    assert status_class(status) == expected
