import os
import subprocess
import sys
from pathlib import Path

from stack.local.birth import birth
from stack.local.ledger import Entry, Ledger, read_ledger


def entry(name: str, pid: int, born: str) -> Entry:
    return Entry(name=name, kind="test", pid=pid, birth=born, stage=3, grace=1.0)


def test_a_process_keeps_its_birth_and_loses_it_with_its_life() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    born = birth(child.pid)
    assert born is not None
    assert born == birth(child.pid) != birth(os.getpid())
    child.kill()
    child.wait()
    if child.stdin:
        child.stdin.close()
    assert birth(child.pid) is None


def test_another_process_with_the_same_pid_is_not_it() -> None:
    own = birth(os.getpid()) or ""
    assert entry("a", os.getpid(), own).alive
    assert not entry("a", os.getpid(), own + "0").alive


def test_what_was_noted_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "processes.json"
    ledger = Ledger(path)
    ledger.began(entry("a", 1, "x"))
    ledger.began(entry("b", 2, "y"))
    ledger.holds("b", frozenset({"psm_2", "psm_1"}))
    ledger.holds("b", frozenset({"psm_1"}))
    ledger.holds("nobody", frozenset({"psm_9"}))
    ledger.ended("a")
    assert [(noted.name, noted.segments) for noted in read_ledger(path)] == [("b", ("psm_1", "psm_2"))]
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_file_and_a_broken_one_note_nothing(tmp_path: Path) -> None:
    path = tmp_path / "processes.json"
    assert read_ledger(path) == []
    path.write_text("[{")
    assert read_ledger(path) == []
