"""Prometheus and Alertmanager: from PATH, else unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.install.debian import Debian
from stack.local.install.monitoring import find_monitoring
from stack.local.install.plan import InstallError, Monitoring
from tests.stack.local.install.fakes import Remembered, only_on_path, program

_ALL = ("prometheus", "promtool", "prometheus-alertmanager", "amtool")
# Unpacks everything there is, whatever the package.
_DPKG = f"""mkdir -p "$3/usr/bin" "$3/usr/share/prometheus/web"
for name in {" ".join(_ALL)}; do cp "$0" "$3/usr/bin/$name"; done"""


def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *programs: str) -> Debian:
    only_on_path(monkeypatch, tmp_path / "path")
    for name in programs:
        program(tmp_path / "path" / name, "")
    return Debian(tmp_path / "debian", tmp_path / "debian.log")


def test_what_path_has_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debian = _machine(tmp_path, monkeypatch, "prometheus", "promtool", "alertmanager", "amtool")
    path = tmp_path / "path"
    expected = Monitoring(path / "prometheus", path / "promtool", path / "alertmanager", path / "amtool", None)
    assert find_monitoring(debian, Remembered()) == expected
    assert not debian.folder.exists()


def test_what_path_lacks_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debian = _machine(tmp_path, monkeypatch, "promtool")
    program(tmp_path / "path" / "apt-get", "touch prometheus_1_amd64.deb")
    program(tmp_path / "path" / "dpkg", _DPKG)
    unpacked = debian.folder / "monitoring" / "usr" / "bin"
    expected = Monitoring(
        unpacked / "prometheus",
        tmp_path / "path" / "promtool",
        unpacked / "prometheus-alertmanager",
        unpacked / "amtool",
        debian.folder / "monitoring/usr/share/prometheus/web",
    )
    assert find_monitoring(debian, Remembered()) == expected
    (tmp_path / "path" / "apt-get").unlink()
    assert find_monitoring(debian, Remembered()) == expected


def test_without_debian_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    debian = _machine(tmp_path, monkeypatch, "prometheus", "promtool")
    with pytest.raises(InstallError) as failed:
        find_monitoring(debian, Remembered())
    assert str(failed.value) == (
        "alertmanager, amtool not on PATH: install Prometheus and Alertmanager there; "
        "apt-get and dpkg not found, so Debian's prometheus, prometheus-alertmanager cannot be unpacked here"
    )
