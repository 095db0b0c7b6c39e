"""The house rules that no linter knows."""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("stack", "exporters", "dashboard")


def test_nothing_in_the_dashboard_shadows_a_package() -> None:
    """Streamlit puts dashboard/ first on sys.path: a module there named like a package would replace it."""
    taken = {*PACKAGES, "alerts", "tests", *sys.stdlib_module_names, *packages_distributions()}
    inside = {path.stem for path in (ROOT / "dashboard").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert sorted((inside - {"__init__", "__pycache__"}) & taken) == []


def test_every_test_folder_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_package_opens_with_a_docstring() -> None:
    bare = [
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if not path.read_text().lstrip().startswith('"""')
    ]
    assert bare == []


def test_no_module_outgrows_two_hundred_lines() -> None:
    """Tables of data may be longer; they are named here."""
    tables = {"stack/metrics/catalog.py", "stack/engines/vllm_names.py"}
    long = {
        str(path.relative_to(ROOT)): lines
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 200
    }
    assert {name: lines for name, lines in long.items() if name not in tables} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert [str(path) for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path.stem in vague] == []
