"""Debian's packages, unpacked without root; apt-get and dpkg are stand-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, only_on_path, program

_DOWNLOAD = 'for package in "$@"; do touch "${package}_1_amd64.deb"; done'
_APT = f"[ $1 = download ] || exit 9; shift; {_DOWNLOAD}"
_DPKG = 'mkdir -p "$3/usr/bin"; touch "$3/usr/bin/$(basename $2 _1_amd64.deb)"'


def _debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apt: str | None = _APT) -> Debian:
    only_on_path(monkeypatch, tmp_path / "path")
    if apt is not None:
        program(tmp_path / "path" / "apt-get", apt)
        program(tmp_path / "path" / "dpkg", _DPKG)
    return Debian(tmp_path / "debian", tmp_path / "debian.log")


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_packages_are_unpacked_together_and_nothing_else_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Remembered()
    debian = _debian(tmp_path, monkeypatch)
    assert debian.unpack("monitoring", ["prometheus", "amtool"], progress) == tmp_path / "debian" / "monitoring"
    assert _files(tmp_path / "debian") == ["monitoring/usr/bin/amtool", "monitoring/usr/bin/prometheus"]
    assert (progress.total, progress.completed) == (4, 4)


def test_missing_package_lists_are_replaced_by_own_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apt = f"""
[ "$1" = -o ] || {{ echo 'E: Unable to locate package prometheus'; exit 100; }}
case "$2" in Dir::State::Lists=*) lists=${{2#*=}};; esac
while [ "$1" = -o ]; do shift 2; done
case "$1" in
update) touch "$lists/Packages";;
download) [ -f "$lists/Packages" ] || exit 1; shift; {_DOWNLOAD};;
esac"""
    _debian(tmp_path, monkeypatch, apt).unpack("monitoring", ["prometheus"], Remembered())
    assert _files(tmp_path / "debian") == ["monitoring/usr/bin/prometheus"]


def test_what_an_interrupted_run_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debian = _debian(tmp_path, monkeypatch)
    for left in ("monitoring.abc/root/half", "monitoring/old", "libraries/lib.so"):
        program(debian.folder / left, "")
    debian.unpack("monitoring", ["prometheus"], Remembered())
    assert _files(debian.folder) == ["libraries/lib.so", "monitoring/usr/bin/prometheus"]


def test_a_refusal_of_apt_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InstallError) as failed:
        _debian(tmp_path, monkeypatch, "echo 'E: no network'; exit 100").unpack("monitoring", ["prometheus"], Remembered())
    assert str(failed.value) == f"apt-get failed: no network (all it said: {tmp_path}/debian.log)"
    assert _files(tmp_path / "debian") == []


def test_elsewhere_than_on_debian_the_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InstallError) as failed:
        _debian(tmp_path, monkeypatch, apt=None).unpack("monitoring", ["prometheus"], Remembered())
    assert str(failed.value) == "apt-get and dpkg not found, so Debian's prometheus cannot be unpacked here"
