"""wrk: what it is asked, and what is read of it."""

from pathlib import Path

import pytest

from stack.bench.router.chats import Chat
from stack.bench.router.wrk import Load, LoadError, Run, parse

SAID = """Running 1s test @ http://127.0.0.1:1/v1/chat/completions
  1 threads and 32 connections
Requests/sec:  38225.10
{"requests":40000,"seconds":1.600000,"errors":2,"p50_ms":0.2500,"p99_ms":1.5000}
"""


def test_the_last_line_is_the_run() -> None:
    run = parse(SAID)
    assert run == Run(requests=40000, seconds=1.6, errors=2, p50_ms=0.25, p99_ms=1.5)
    assert run.per_second == 25000


@pytest.mark.parametrize("said", ["", "unable to connect to 127.0.0.1:1 Connection refused\n", '{"requests":1}'])
def test_anything_else_is_no_run(said: str) -> None:
    with pytest.raises(LoadError):
        parse(said)


def test_the_load_is_one_thread_that_finds_its_chats_and_its_first_number(tmp_path: Path) -> None:
    load = Load(Path("/wrk"), tmp_path, Path("/lua"))
    load.prepare([Chat('{"a":"', '"}'), Chat('{"b":"', '"}')])
    script = tmp_path / "load.lua"
    assert load.command("http://h:1/p", 32, 2.4) == (
        "/wrk",
        "-t1",
        "-c32",
        "-d2s",
        "--timeout",
        "10s",
        "-s",
        str(script),
        "http://h:1/p",
    )
    chats = tmp_path / "chats.txt"
    assert load.environment(70) == {"KVDECK_CHATS": str(chats), "KVDECK_FIRST": "70", "LD_LIBRARY_PATH": "/lua"}
    assert chats.read_text() == '{"a":"\t"}\n{"b":"\t"}\n'
    assert "function request()" in script.read_text()
