"""The checklist in a log; on a terminal the same calls move bars."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from stack.local.checklist import Checklist


def _clock() -> Iterator[float]:
    seconds = 0.0
    while True:
        yield seconds
        seconds += 1.5


def _checklist(terminal: bool = False) -> tuple[Checklist, io.StringIO]:
    written = io.StringIO()
    ticks = _clock()
    return Checklist(Console(file=written, force_terminal=terminal, width=100), lambda: next(ticks)), written


def test_a_log_gets_a_line_when_a_step_begins_and_one_when_it_ends() -> None:
    checklist, written = _checklist()
    with checklist, checklist.step("Model", total=2) as step:
        step.advance()
        step.detail("converting")
        step.done("269 MB")
    assert written.getvalue() == "...    Model\nok     Model (1.5 s): 269 MB\n"


def test_a_step_left_without_a_word_is_done() -> None:
    checklist, written = _checklist()
    with checklist, checklist.step("Store"):
        pass
    assert written.getvalue() == "...    Store\nok     Store (1.5 s)\n"


def test_an_error_that_leaves_a_step_fails_it_with_its_line() -> None:
    checklist, written = _checklist()
    with checklist, pytest.raises(OSError, match="no space"), checklist.step("Store"):
        raise OSError("no space: free some")
    assert written.getvalue() == "...    Store\nfailed Store (1.5 s): no space: free some\n"


def test_the_first_end_of_a_step_counts() -> None:
    checklist, written = _checklist()
    with checklist, checklist.step("Store") as step:
        step.fail("port 6390 is in use")
        step.done()
    assert written.getvalue().splitlines()[1:] == ["failed Store (1.5 s): port 6390 is in use"]


def test_text_that_looks_like_markup_is_shown_as_it_is() -> None:
    checklist, written = _checklist(terminal=True)
    with checklist, checklist.step("Engines [3]") as step:
        step.done("[red]")
    assert "Engines [3]" in written.getvalue()
    assert "[red]" in written.getvalue()


def test_a_terminal_shows_several_open_steps_at_once() -> None:
    checklist, written = _checklist(terminal=True)
    with checklist, checklist.step("prefill-0", total=10) as first, checklist.step("decode-0") as second:
        first.advance(5)
        second.expect(4)
        second.detail("loading")
    assert all(title in written.getvalue() for title in ("prefill-0", "decode-0", "ok"))
