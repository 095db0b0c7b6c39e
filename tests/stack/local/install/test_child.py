"""A program run to its end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stack.local.install.child import ChildFailedError, run_logged


def test_output_goes_to_the_log_after_what_was_there(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "a.log"
    assert run_logged(["sh", "-c", "echo one; echo two >&2"], log) == "one\ntwo\n"
    assert run_logged(["sh", "-c", "echo three"], log) == "three\n"
    assert log.read_text() == "one\ntwo\nthree\n"


def test_a_failure_carries_all_that_was_said(tmp_path: Path) -> None:
    with pytest.raises(ChildFailedError, match="status 3") as failed:
        run_logged(["sh", "-c", "echo no luck; exit 3"], tmp_path / "a.log")
    assert failed.value.output == "no luck\n"


def test_output_is_watched_while_it_comes(tmp_path: Path) -> None:
    seen: list[str] = []
    slow = "import time; print('half', flush=True); time.sleep(0.8); print('whole')"
    run_logged([sys.executable, "-c", slow], tmp_path / "a.log", seen.append)
    assert "half\n" in seen


def test_an_interruption_ends_the_program(tmp_path: Path) -> None:
    def interrupt(said: str) -> None:
        if said:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_logged(["sh", "-c", f"echo begun; sleep 1; touch {tmp_path}/finished"], tmp_path / "a.log", interrupt)
    assert not (tmp_path / "finished").exists()
