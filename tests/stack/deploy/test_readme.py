"""What the README says of the chart is so."""

import re
from typing import Any

from stack.deploy.copies import CHART
from tests.alerts.promtool import ROOT
from tests.stack.deploy.chart import Json, faults, manifests, one, read_yaml

_README = (ROOT / "README.md").read_text()
_SECTION = _README.partition("### On Kubernetes, beside")[2].partition("\n### ")[0]
_DECK = _README.partition("### The deck on Kubernetes")[2].partition("\n### ")[0]


def _set(section: str, values: Json) -> Json:
    """`values` with those of `helm install`, as its --set reads them: words, and lists in braces."""
    (command,) = re.findall("^helm install .*$", section, re.MULTILINE)
    for key, text in re.findall(r"--set (\S+?)=(\S+)", command):
        *path, last = key.split(".")
        at: Any = values
        for part in path:
            at = at.setdefault(part, {})
        at[last] = text[1:-1].split(",") if text.startswith("{") else text
    return values


def test_the_command_installs_what_it_promises() -> None:
    values = _set(_SECTION, {})
    assert faults(values) == []
    assert [role["metadata"]["namespace"] for role in manifests(values, "Role")] == ["inference"]
    assert one(values, "ServiceMonitor")["metadata"]["labels"]["release"] == "kube-prometheus-stack"
    (container,) = one(values, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/kvdeck-exporter:0.1.0"
    assert f"docker push {container['image']}" in _SECTION


def test_every_value_the_table_names_is_one() -> None:
    (values,) = read_yaml((CHART / "values.yaml").read_text())
    first_column = "\n".join(line.split("|")[1] for line in _SECTION.splitlines() if line.startswith("| `"))
    named = re.findall(r"`([\w.]+)`", first_column)
    assert len(named) > 10
    for path in named:
        at: Any = values
        for part in path.split("."):
            assert part in at, path
            at = at[part]


def test_the_secret_of_the_deck_has_every_key_that_the_chart_reads() -> None:
    (given,) = read_yaml((CHART.parent / "examples" / "with-router.yaml").read_text())
    values = _set(_DECK, given)
    assert faults(values) == []
    read = set(re.findall(r"/etc/kvdeck/secret/([\w.]+)", str(manifests(values, "Deployment"))))
    assert set(re.findall(r"--from-file=(\S+)", _DECK)) == read
    assert f"create secret generic {values['deck']['secret']} " in _DECK
    (image,) = {
        container["image"]
        for deployment in manifests(values, "Deployment")
        if not deployment["metadata"]["name"].endswith("-exporter")
        for container in deployment["spec"]["template"]["spec"]["containers"]
    }
    assert f"docker push {image}" in _DECK
