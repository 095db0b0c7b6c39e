"""The chart's renderer is built once for its sources, and the compiler does not stay."""

from pathlib import Path

import pytest

from stack.local.install.chart_renderer import build_chart_renderer, program_of
from stack.local.install.child import ChildFailedError
from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, only_on_path, program


def _debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Debian:
    only_on_path(monkeypatch, tmp_path / "path")
    program(tmp_path / "path" / "apt-get", 'shift; for package in "$@"; do touch "${package}_1_amd64.deb"; done')
    program(tmp_path / "path" / "dpkg", 'mkdir -p "$3/usr"; touch "$3/usr/go"')
    return Debian(tmp_path / "debian", tmp_path / "debian.log")


def _source(tmp_path: Path, text: str = "package main") -> Path:
    (tmp_path / "source").mkdir(exist_ok=True)
    (tmp_path / "source" / "main.go").write_text(text)
    return tmp_path / "source"


def _compile(root: Path, source: Path, built: Path) -> None:
    assert (root / "usr" / "go").exists()
    program(built, "exit 0")


def test_it_is_built_once_and_again_for_other_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debian = _debian(tmp_path, monkeypatch)
    first = build_chart_renderer(debian, _source(tmp_path), Remembered(), _compile)
    again = Remembered()
    assert build_chart_renderer(debian, _source(tmp_path), again, _compile) == first
    assert again.total == 0
    other = build_chart_renderer(debian, _source(tmp_path, "package main // changed"), Remembered(), _compile)
    assert other != first
    assert sorted(path.name for path in debian.folder.iterdir()) == ["chart-renderer"]


def test_what_does_not_compile_is_told_and_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(root: Path, source: Path, built: Path) -> None:
        raise ChildFailedError(1, "main.go:1: syntax error")

    debian, source = _debian(tmp_path, monkeypatch), _source(tmp_path)
    with pytest.raises(InstallError, match=r"does not compile: main\.go:1: syntax error"):
        build_chart_renderer(debian, source, Remembered(), refuse)
    assert not program_of(debian.folder, source).exists()
    assert list(debian.folder.iterdir()) == []
