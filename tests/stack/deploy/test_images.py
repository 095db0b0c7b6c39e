"""The images' Dockerfiles: no Docker runs here, but every step that makes the exporter's image does (end to end)."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from stack.local.install.packages import requirements
from tests.alerts.promtool import ROOT
from tests.stack.deploy.dockerfile import Instruction, stages

IMAGES = ROOT / "stack" / "deploy" / "images"
FILES = sorted(IMAGES.glob("*.Dockerfile"))
_HEAVY = ("streamlit", "pandas", "plotly", "numpy", "tokenizers", "kubernetes")
_IMPORTED_AS = {"yaml": "pyyaml", "prometheus_client": "prometheus-client"}
# uvicorn's faster parts, which it finds by itself.
_FOUND_BY_OTHERS = {"httptools", "uvloop"}
# Only for kubeconfig files, which a pod has none of.
_NOT_IN_A_POD = {"kubernetes"}


def _all(path: Path, name: str) -> list[Instruction]:
    return [each for stage in stages(path) for each in stage if each.name == name]


def _is_sent(path: str) -> bool:
    """Whether .dockerignore lets a file or folder of the project through: the last line that matches decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line and not line.startswith("#") and fnmatch.fnmatch(path, line.removeprefix("!")):
            sent = line.startswith("!")
    return sent


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_image_is_built_from_pinned_ones_and_runs_as_nobody(path: Path) -> None:
    bases = {each.words[0] for each in _all(path, "FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", bases.pop())
    last = stages(path)[-1]
    assert [each.text for each in last if each.name == "USER"] == ["65532:65532"]
    assert {each.name for each in last} >= {"HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert not [each for each in last if each.name == "RUN"], "the last stage only copies: what builds stays behind"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_copied_is_there_and_sent_to_the_builder(path: Path) -> None:
    assert _all(path, "ADD") == []
    for each in (each for each in _all(path, "COPY") if "--from=" not in each.text):
        *sources, _ = each.words
        assert [source for source in sources if not (ROOT / source).exists()] == []
        assert [source for source in sources if not _is_sent(source.split("/")[0])] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_programs_get_signals_themselves(path: Path) -> None:
    """The shell's form would put a shell before them."""
    started = [*_all(path, "ENTRYPOINT"), *_all(path, "CMD")]
    assert [each.text for each in started if not each.text.startswith("[")] == []


def test_what_is_not_named_stays_out_of_the_build() -> None:
    assert [name for name in (".git", ".venv", ".kvdeck", "tests", "CHANGELOG.md") if _is_sent(name)] == []


def test_the_exporters_image_has_what_it_imports_and_no_more() -> None:
    graph = grimp.build_graph("exporters", "stack", "dashboard", include_external_packages=True, cache_dir=None)
    imported = {name.partition(".")[0] for name in graph.find_upstream_modules("exporters", as_package=True)}
    others = imported - {"exporters", "stack", "dashboard", *sys.stdlib_module_names} - _NOT_IN_A_POD
    assert set(requirements(IMAGES / "exporter.txt")) == {_IMPORTED_AS.get(name, name) for name in others} | _FOUND_BY_OTHERS


@pytest.mark.e2e
def test_the_exporters_image_can_be_built_and_holds_nothing_heavy(tmp_path: Path) -> None:
    """Each COPY and RUN of the stage that builds, in a folder of this machine, then what the image starts."""
    build, image = stages(IMAGES / "exporter.Dockerfile")
    source, target = tmp_path / "src", tmp_path / "opt"
    source.mkdir()
    environment = _outside()
    for each in build:
        text = each.text.replace("/opt/kvdeck", str(target)).replace("/src", str(source))
        if each.name == "ENV":
            environment |= dict(pair.split("=", 1) for pair in text.split())
        elif each.name == "COPY":
            *parts, to = each.words
            for part in parts:
                _copy(ROOT / part, source / to / (Path(part).name if to.endswith("/") else ""))
        elif each.name == "RUN":
            command = text.replace("python ", f"{sys.base_prefix}/bin/python3 ", 1) if text.startswith("python ") else text
            done = subprocess.run(command.split(), cwd=source, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    python = target / "bin" / "python"
    look = f"import importlib.util as u; print([name for name in {_HEAVY!r} if u.find_spec(name)])"
    (entry,) = (each.words for each in image if each.name == "ENTRYPOINT")
    assert _said_by(tmp_path, python, "-c", look) == "[]\n"
    assert "--web.listen-address" in _said_by(tmp_path, python, *entry[1:], "--help")


def _said_by(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(command, cwd=folder, env=_outside(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _outside() -> dict[str, str]:
    """The environment without Python packages of ours."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)
