"""The values' schema: it knows every value, and refuses what would be ignored."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft7Validator

from stack.deploy.copies import CHART
from tests.stack.deploy.chart import Json, faults, read_yaml

SCHEMA: Json = json.loads((CHART / "values.schema.json").read_text())
(VALUES,) = read_yaml((CHART / "values.yaml").read_text())


def _paths(values: Json, prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _paths(value, f"{prefix}{key}.")


def _known(schema: Json, prefix: str = "") -> Iterator[str]:
    for key, value in schema.get("properties", {}).items():
        part = SCHEMA["definitions"][value["$ref"].rpartition("/")[2]] if "$ref" in value else value
        yield f"{prefix}{key}"
        yield from _known(part, f"{prefix}{key}.")


def test_the_schema_is_one() -> None:
    Draft7Validator.check_schema(SCHEMA)


def test_every_value_is_in_the_schema_and_has_a_default() -> None:
    for_parents = {"global", "enabled"}
    known = {path for path in _known(SCHEMA) if not path.startswith("prometheusRule.overrides.")} - for_parents
    free = {f"{part}.resources." for part in ("exporter", "nodes", "router", "control", "dashboard")}  # what Kubernetes defines
    assert {path for path in _paths(VALUES) if not any(path.startswith(each) for each in free)} == known


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"exporterr": {}}, "'exporterr' was unexpected"),
        ({"exporter": {"image": {"registry": "r"}}}, "'registry' was unexpected"),
        ({"exporter": {"image": {"digest": "latest"}}}, "'latest' does not match"),
        ({"exporter": {"shards": 0}}, "0 is less than the minimum of 1"),
        ({"targets": {"engines": [{"targets": ["http://decode-0:8000"]}]}}, "'http://decode-0:8000' does not match"),
        ({"targets": {"lmcache": ["http://lmcache:8080"]}}, "is not of type 'object'"),
        ({"targets": {"stores": {"redis": "redis:6379"}}}, "'redis:6379' does not match"),
        ({"serviceMonitor": {"interval": "15"}}, "'15' does not match"),
        ({"prometheusRule": {"disabled": ["KvdeckEngineDwon"]}}, "'KvdeckEngineDwon' is not one of"),
        ({"prometheusRule": {"overrides": {"KvdeckEngineDwon": {}}}}, "'KvdeckEngineDwon' was unexpected"),
        ({"prometheusRule": {"overrides": {"KvdeckKvCacheFull": {"severity": "page"}}}}, "'page' is not one of"),
        ({"prometheusRule": {"overrides": {"KvdeckEngineDown": {"threshold": 2}}}}, "'threshold' was unexpected"),
        ({"prometheusRule": {"overrides": {"KvdeckKvCacheFull": {"threshold": "0.9"}}}}, "is not valid under any of the given"),
        (
            {"prometheusRule": {"overrides": {"KvdeckKvCacheFull": {"threshold": {"use": 1}}}}},
            "is not valid under any of the given",
        ),
        ({"grafana": {"baseUrl": "grafana"}}, "'grafana' does not match"),
    ],
)
def test_what_would_be_ignored_is_refused(given: dict[str, Any], told: str) -> None:
    (fault,) = faults(given)
    assert told in fault


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"global": {"clusterDomain": "c"}, "enabled": True},
        {"prometheusRule": {"overrides": {"KvdeckKvCacheFull": {"threshold": 0.9, "for": "1h30m"}}}},
        {"prometheusRule": {"overrides": {"KvdeckKvTransferSlow": {"threshold": {"seconds": 2}}}}},
    ],
)
def test_what_is_meant_is_taken(given: dict[str, Any]) -> None:
    assert faults(given) == []
