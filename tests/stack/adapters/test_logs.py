"""A log line is an event with its fields."""

import logging

import pytest

from stack.adapters.logs import EventFormatter


def _line(message: str, exc_info: bool = False, **fields: object) -> str:
    record = logging.makeLogRecord(
        {"name": "stack.api.changes", "levelname": "INFO", "msg": message, "created": 0.25, "msecs": 250.0, **fields}
    )
    return EventFormatter().format(record)


def test_an_event_is_followed_by_its_fields() -> None:
    said = _line("state changed", generation=8, actor="ops")
    assert said == "1970-01-01T00:00:00.250Z INFO stack.api.changes state changed generation=8 actor='ops'"


def test_a_field_that_is_unknown_is_left_out() -> None:
    assert _line("engine left", engine="decode-0", status=None).endswith("engine left engine='decode-0'")


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[31mred"])
def test_what_others_wrote_stays_on_its_line_and_moves_no_cursor(text: str) -> None:
    assert _line("refused", error=text).endswith(f"refused error={text!r}")
