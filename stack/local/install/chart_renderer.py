"""The program that renders the Helm chart for the tests, built with Debian's Go: Debian has Helm's libraries, not Helm."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress

_GO = "golang-1.19"
_LIBRARIES = (
    "github-gobwas-glob", "github-google-uuid", "github-huandu-xstrings", "github-imdario-mergo", "github-masterminds-goutils",
    "github-masterminds-semver", "github-masterminds-sprig", "github-mitchellh-copystructure", "github-mitchellh-reflectwalk",
    "github-shopspring-decimal", "github-spf13-cast", "golang-x-crypto", "gopkg-yaml.v2", "k8s-sigs-yaml",
)  # fmt: skip
PACKAGES = (f"{_GO}-go", f"{_GO}-src", *(f"golang-{library}-dev" for library in _LIBRARIES))
_TOOLCHAIN = "go"  # 480 MB, which go again once the program is built
_STEPS = 2 * len(PACKAGES) + 4

Compile = Callable[[Path, Path, Path], None]


def program_of(binaries: Path, source: Path) -> Path:
    """Where the program of exactly these sources is, or would be."""
    digest = hashlib.sha256()
    for path in sorted(source.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return binaries / "chart-renderer" / digest.hexdigest()[:12]


def build_chart_renderer(debian: Debian, source: Path, progress: Progress, compiler: Compile | None = None) -> Path:
    """The program of `source`, built the first time and when the sources changed. Raises InstallError."""
    program = program_of(debian.folder, source)
    if program.exists():
        return program
    try:
        root = debian.unpack(_TOOLCHAIN, PACKAGES, progress)
        progress.expect(_STEPS)
        progress.detail("compiling")
        (compiler or _compile)(root, source, program)
    except ChildFailedError as error:
        raise InstallError(f"the chart's renderer does not compile: {error.output[-500:]}") from error
    finally:
        shutil.rmtree(debian.folder / _TOOLCHAIN, ignore_errors=True)
    return program


def _compile(root: Path, source: Path, program: Path) -> None:
    """GOPATH mode: Debian's libraries lie under their import paths, and nothing is looked for elsewhere."""
    work = root / "work"
    shutil.copytree(source, work / "src" / "kvdeck.render")
    program.parent.mkdir(parents=True, exist_ok=True)
    go = root / "usr/lib/go-1.19"
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPROXY": "off",
        "GOROOT": str(go),
        "GOPATH": f"{work}:{root / 'usr/share/gocode'}",
        "GOCACHE": str(work / "cache"),
        "CGO_ENABLED": "0",
    }
    unfinished = program.with_suffix(".new")
    command = [str(go / "bin/go"), "build", "-ldflags", "-s -w", "-o", str(unfinished), "."]
    run_logged(command, program.parent / "build.log", environment=environment, folder=work / "src" / "kvdeck.render")
    unfinished.replace(program)
