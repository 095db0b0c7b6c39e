"""What a machine lacks, said before anything is fetched."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from stack.config import Ports
from stack.local.install.plan import EngineKind, PreflightError, Wanted
from stack.local.install.preflight import Machine, engine_problems, port_problems, require, this_machine, wanted_ports

_GOOD = Machine("Linux", "x86_64", frozenset({"avx", "avx2"}), (3, 11), 20_000_000_000, 50_000_000_000)
_REAL, _EMULATED = Wanted(EngineKind.VLLM, 3), Wanted(EngineKind.EMULATED, 3)


@pytest.mark.parametrize(
    ("machine", "line"),
    [
        (
            replace(_GOOD, system="Darwin", architecture="arm64", flags=frozenset()),
            "real engines need Linux on x86-64 and this is Darwin on arm64: use --engines emulated",
        ),
        (
            replace(_GOOD, flags=frozenset({"sse2"})),
            "this processor has no AVX2, which real engines need: use --engines emulated",
        ),
        (
            replace(_GOOD, python=(3, 14)),
            "real engines have no packages for Python 3.14: put python3.13 on PATH and remove .venv, or use --engines emulated",
        ),
        (
            replace(_GOOD, memory_bytes=8_900_000_000),
            "too little memory: 8.9 GB available, 3 engines need 9.0 GB: close something, "
            "ask for fewer with --prefill and --decode, or use --engines emulated",
        ),
        (replace(_GOOD, disk_bytes=5_000_000_000), "too little disk: 5.0 GB free here, 6.0 GB needed: free some"),
    ],
)
def test_each_problem_says_what_to_do(machine: Machine, line: str) -> None:
    assert engine_problems(machine, _REAL, installed=False) == (line,)


def test_a_good_machine_has_no_problem() -> None:
    assert engine_problems(_GOOD, _REAL, installed=False) == ()


def test_emulated_engines_run_on_a_small_machine() -> None:
    small = Machine("Darwin", "arm64", frozenset(), (3, 14), 1_000_000_000, 2_000_000_000)
    assert engine_problems(small, _EMULATED, installed=False) == ()


def test_an_installed_stack_needs_little_disk() -> None:
    assert engine_problems(replace(_GOOD, disk_bytes=2_000_000_000), _REAL, installed=True) == ()


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(PreflightError) as failed:
        require(("no AVX2",), (), ("too little disk",))
    assert failed.value.problems == ("no AVX2", "too little disk")
    assert str(failed.value) == "no AVX2\ntoo little disk"
    require((), ())


def test_ports_in_use_are_all_named_with_their_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        held, spare = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        (line,) = port_problems({"router": held, "control": spare})
    assert line.startswith(f"ports in use: {held} for router (pid {os.getpid()}, ")
    assert line.endswith("): stop what uses them (an earlier stack: kvdeck down), or move with --ports-from")
    assert str(spare) not in line


def test_free_ports_are_no_problem() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    assert port_problems({"router": port}) == ()


def test_every_engine_has_a_port() -> None:
    named = wanted_ports(Ports.packed(20000), _REAL)
    assert [port for name, port in named.items() if name.startswith("engine")] == [20009, 20010, 20011]
    assert [port for name, port in named.items() if name.startswith("NIXL")] == [20209, 20210, 20211]
    assert len(set(named.values())) == len(named)
    assert "lmcache" not in wanted_ports(Ports(), _EMULATED)


def test_this_machine_is_read(tmp_path: Path) -> None:
    machine = this_machine(tmp_path)
    assert machine.memory_bytes > 0
    assert machine.disk_bytes > 0
