"""The plain manifests are what the chart renders, and Kustomize finds what it is told to take."""

import yaml

from stack.deploy.copies import DEPLOY
from stack.deploy.manifests import without_helm
from tests.alerts.promtool import ROOT
from tests.stack.deploy.chart import Json, manifests, read_yaml
from tests.stack.deploy.plain import EXPORTER, exporter

FOLDER = ROOT / DEPLOY
KUSTOMIZATION: Json = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())


def test_the_exporter_is_the_charts() -> None:
    assert EXPORTER.read_text() == exporter(), "run: python -m tests.stack.deploy"


def test_the_rules_are_the_charts() -> None:
    plain = read_yaml((FOLDER / "manifests" / "rules.yaml").read_text())
    rendered = [without_helm(document) for document in manifests(kind="PrometheusRule")]
    assert sorted(plain, key=lambda each: str(each["metadata"])) == sorted(rendered, key=lambda each: str(each["metadata"]))


def test_kustomize_is_told_of_every_manifest() -> None:
    there = {str(path.relative_to(FOLDER)) for path in (FOLDER / "manifests").glob("*.yaml")}
    assert set(KUSTOMIZATION["resources"]) == there


def test_its_config_maps_are_found_by_grafanas_sidecar_as_the_charts_are() -> None:
    (metadata, *_) = (each["metadata"] for each in manifests(kind="ConfigMap"))
    options = KUSTOMIZATION["generatorOptions"]
    assert options["labels"].items() <= metadata["labels"].items()
    assert options["annotations"] == metadata["annotations"]
