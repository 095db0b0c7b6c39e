"""nginx and wrk: from PATH, else unpacked."""

from pathlib import Path

import pytest

from stack.bench.router.tools import Tools, find_tools
from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, only_on_path, program

_DPKG = """mkdir -p "$3/usr/bin" "$3/usr/sbin" "$3/usr/lib/some-linux-gnu"
touch "$3/usr/bin/wrk" "$3/usr/sbin/nginx" "$3/usr/lib/some-linux-gnu/libluajit-5.1.so.2\""""


def test_what_path_has_is_used(tmp_path: Path) -> None:
    debian = Debian(tmp_path / "debian", tmp_path / "log")
    assert find_tools(debian, Remembered(), lambda name: f"/bin/{name}") == Tools(Path("/bin/nginx"), Path("/bin/wrk"))


def test_what_path_lacks_is_unpacked_once_with_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_on_path(monkeypatch, tmp_path / "path")
    program(tmp_path / "path" / "apt-get", "touch nginx_1_amd64.deb")
    program(tmp_path / "path" / "dpkg", _DPKG)
    debian = Debian(tmp_path / "debian", tmp_path / "log")
    root = debian.folder / "bench" / "usr"
    expected = Tools(root / "sbin/nginx", root / "bin/wrk", root / "lib/some-linux-gnu")
    assert find_tools(debian, Remembered()) == expected
    (tmp_path / "path" / "apt-get").unlink()
    assert find_tools(debian, Remembered()) == expected


def test_the_programs_tell_their_versions(tmp_path: Path) -> None:
    nginx = program(tmp_path / "nginx", "echo nginx version: nginx/1.22.1 >&2")
    wrk = program(tmp_path / "wrk", "echo 'wrk 4.1.0 [epoll] Copyright (C) 2012'; exit 1")
    assert Tools(nginx, wrk, tmp_path).versions() == {"nginx": "1.22.1", "wrk": "4.1.0"}
    assert Tools(nginx, tmp_path / "none").versions() == {"nginx": "1.22.1", "none": "unknown"}


def test_no_debian_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_on_path(monkeypatch, tmp_path / "path")
    with pytest.raises(InstallError, match="apt-get and dpkg not found"):
        find_tools(Debian(tmp_path / "debian", tmp_path / "log"), Remembered())
