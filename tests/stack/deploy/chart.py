"""The chart as Helm renders it: values merged and checked here, templates run by the program in `render/`."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from stack.deploy.copies import CHART
from stack.local.install.chart_renderer import program_of
from tests.alerts.promtool import ROOT

Json = dict[str, Any]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str) -> list[Any]:
    """The documents of `text` that are not empty."""
    return [document for document in yaml.load_all(text, _LOADER) if document is not None]


def files(values: Mapping[str, Any] | None = None) -> dict[str, str]:
    """What each template prints, by its path, for `values` over the chart's own."""
    return _files(json.dumps(values or {}, sort_keys=True))


def manifests(values: Mapping[str, Any] | None = None, kind: str | None = None) -> list[Json]:
    """The objects that would be installed, all or those of a kind."""
    return [document for document in _documents(json.dumps(values or {}, sort_keys=True)) if kind in {None, document["kind"]}]


def one(values: Mapping[str, Any] | None, kind: str) -> Json:
    """The only object of a kind."""
    (found,) = manifests(values, kind)
    return found


def faults(given: Mapping[str, Any]) -> list[str]:
    """What the chart's schema has against `given` values, merged over its own."""
    return [error.message for error in _validator().iter_errors(_merged(_own(), dict(given)))]


@functools.cache
def _validator() -> Draft7Validator:
    return Draft7Validator(json.loads((CHART / "values.schema.json").read_text()))


@functools.cache
def _own() -> Json:
    (values,) = read_yaml((CHART / "values.yaml").read_text())
    return dict(values)


def refusal(values: Mapping[str, Any]) -> str:
    """What the templates say to values that they refuse."""
    told = _of_the_chart(dict(values))
    assert isinstance(told, str)
    return told


def render(chart: Path, values: Mapping[str, Any]) -> dict[str, str] | str:
    """What each template of a chart prints for its whole values, by its path; else what is wrong."""
    request = {
        "chart": str(chart),
        "values": values,
        "release": {"Name": "kvdeck", "Namespace": "monitoring", "Service": "Helm"},
        "apiVersions": [],
    }
    done = subprocess.run([_program()], input=json.dumps(request), capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    rendered: dict[str, str] = json.loads(done.stdout)
    return rendered


@functools.cache
def _documents(values: str) -> list[Json]:
    """Shared by the tests, which only look."""
    texts = [text for path, text in sorted(_files(values).items()) if path.endswith(".yaml")]
    return [document for text in texts for document in read_yaml(text)]


@functools.cache
def _files(values: str) -> dict[str, str]:
    rendered = _of_the_chart(json.loads(values))
    assert not isinstance(rendered, str), rendered
    return rendered


def _of_the_chart(given: Json) -> dict[str, str] | str:
    assert faults(given) == []
    return render(CHART, _merged(_own(), given))


def _merged(own: Json, given: Json) -> Json:
    """Helm's way: tables are merged, anything else is replaced, null removes."""
    merged = {key: value for key, value in own.items() if given.get(key, value) is not None}
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(own.get(key), dict):
            merged[key] = _merged(own[key], value)
        elif value is not None:
            merged[key] = value
    return merged


def _program() -> Path:
    program = program_of(ROOT / ".kvdeck" / "debian", Path(__file__).parent / "render")
    if not program.exists():
        reason = "the chart's renderer is not in .kvdeck/debian (./kvdeck test builds it)"
        assert "CI" not in os.environ, reason
        pytest.skip(reason)
    return program
