"""Everything the chart renders is taken by Kubernetes: the oldest version the chart allows, and a recent one."""

import functools
import json
import re
import tomllib
from typing import Any

import click
import pytest
from jsonschema import Draft7Validator

from exporters.__main__ import main as exporter
from stack.cli.main import main as kvdeck
from stack.deploy.copies import CHART
from tests.alerts.promtool import ROOT
from tests.stack.deploy.chart import Json, manifests, read_yaml
from tests.stack.deploy.operator_schemas import SCHEMAS

IMAGES = CHART.parent / "images"
(CHART_YAML,) = read_yaml((CHART / "Chart.yaml").read_text())
EXAMPLES = {path.stem: read_yaml(path.read_text())[0] for path in sorted((CHART.parent / "examples").glob("*.yaml"))}
VALUES: dict[str, dict[str, Any]] = {"defaults": {}, **EXAMPLES}
_VERSIONS = ("1.25", "1.36")


def _name(document: Json) -> str:
    return f"{document['kind']} {document['metadata'].get('namespace', '')}/{document['metadata']['name']}"


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("values", VALUES)
def test_kubernetes_takes_what_is_rendered(values: str, version: str) -> None:
    pytest.importorskip("kubernetes_validate")
    for document in manifests(VALUES[values]):
        if document["kind"] not in SCHEMAS:
            _validate(json.dumps(document), version)


@functools.cache
def _validate(document: str, version: str) -> None:
    """Most are the same for all values."""
    import kubernetes_validate

    kubernetes_validate.validate(json.loads(document), version, strict=True)


@pytest.mark.parametrize("values", VALUES)
def test_the_operator_takes_what_is_rendered(values: str) -> None:
    ours = [document for document in manifests(VALUES[values]) if document["apiVersion"].startswith("monitoring.coreos.com/")]
    assert ours
    faults = [(_name(each), error.message) for each in ours for error in Draft7Validator(SCHEMAS[each["kind"]]).iter_errors(each)]
    assert faults == []


@pytest.mark.parametrize("values", VALUES)
def test_no_two_objects_share_a_name(values: str) -> None:
    names = [_name(document) for document in manifests(VALUES[values])]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("values", VALUES)
def test_programs_understand_how_they_are_started(values: str) -> None:
    started = [*manifests(VALUES[values], "Deployment"), *manifests(VALUES[values], "DaemonSet")]
    containers = [each["spec"]["template"]["spec"]["containers"][0] for each in started]
    assert "exporter" in {container["name"] for container in containers}
    for container in containers:
        arguments = list(container["args"])
        if container["name"] == "exporter":
            exporter.make_context("exporter", arguments)
        elif container["name"] != "dashboard":
            command = kvdeck.get_command(click.Context(kvdeck), arguments[0])
            assert command is not None
            assert [each for each in arguments[1:] if each.partition("=")[0] not in _options(command)] == []


def _options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


def test_the_chart_allows_the_oldest_version_that_is_tried() -> None:
    assert CHART_YAML["kubeVersion"] == f">={_VERSIONS[0]}.0-0"


def test_chart_and_images_are_of_the_projects_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert (CHART_YAML["version"], CHART_YAML["appVersion"]) == (version, version)
    named = (
        path.read_text() for path in (CHART.parent / "compose" / "compose.yaml", ROOT / "README.md", *IMAGES.glob("*.Dockerfile"))
    )
    assert {each for text in named for each in re.findall(r"\bkvdeck(?:-exporter)?:(\d[\w.]*\w)", text)} == {version}
