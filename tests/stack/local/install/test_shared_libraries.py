"""Libraries that a small Debian lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.debian import Debian
from stack.local.install.shared_libraries import find_libraries, loads
from tests.stack.local.install.fakes import Remembered, only_on_path, program

_DPKG = 'mkdir -p "$3/usr/lib/x86_64-linux-gnu"; touch "$3/usr/lib/x86_64-linux-gnu/libnuma.so.1"'


def test_nothing_is_unpacked_where_nothing_is_missing(tmp_path: Path) -> None:
    assert find_libraries(Debian(tmp_path / "debian", tmp_path / "log"), Remembered(), lambda library: True) is None
    assert not (tmp_path / "debian").exists()


def test_a_missing_one_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_on_path(monkeypatch, tmp_path / "path")
    asked = tmp_path / "asked"
    program(tmp_path / "path" / "apt-get", f'echo "$@" >> {asked}; touch libnuma1_2_amd64.deb')
    program(tmp_path / "path" / "dpkg", _DPKG)
    debian = Debian(tmp_path / "debian", tmp_path / "log")
    for _ in range(2):
        folder = find_libraries(debian, Remembered(), lambda library: False)
    assert folder == tmp_path / "debian/libraries/usr/lib/x86_64-linux-gnu"
    assert asked.read_text() == "download libnuma1\n"


def test_the_loader_is_asked() -> None:
    assert not loads("libnobody.so.7")
