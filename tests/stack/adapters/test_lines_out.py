from __future__ import annotations

import io
import logging
import os
from threading import Event

import pytest

from stack.adapters.lines_out import LinesOut


class Stuck(io.BytesIO):
    """Its reader takes nothing until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.began = Event(), Event()

    def write(self, data: object) -> int:
        self.began.set()
        assert self.go.wait(10)
        return super().write(data)  # type: ignore[arg-type]  # bytes


def test_lines_go_out_in_order() -> None:
    stream = io.BytesIO()
    lines = LinesOut(stream)
    for number in range(100):
        lines.put(b"%d" % number)
    lines.close()
    assert stream.getvalue() == b"".join(b"%d\n" % number for number in range(100))


def test_a_reader_that_takes_nothing_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    stream = Stuck()
    lines = LinesOut(stream, waiting_max=2)
    lines.put(b"first")
    assert stream.began.wait(10)  # the thread is in it; two more may wait
    with caplog.at_level(logging.WARNING):
        for number in range(9):
            lines.put(b"%d" % number)
        lines.close()
    assert caplog.messages == ["lines are lost: their reader is too slow"]
    stream.go.set()


def test_a_reader_that_is_gone_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as stream, caplog.at_level(logging.WARNING):
        lines = LinesOut(stream)
        for _ in range(9):
            lines.put(b"x")
        lines.close()
    assert caplog.messages == ["lines are lost: their reader is gone"]
