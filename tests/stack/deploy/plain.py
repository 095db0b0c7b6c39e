"""The plain manifest of the exporter, as the chart renders it."""

from __future__ import annotations

from stack.deploy.copies import DEPLOY
from stack.deploy.manifests import NAMESPACE, dump, without_helm
from tests.alerts.promtool import ROOT
from tests.stack.deploy.chart import manifests

EXPORTER = ROOT / DEPLOY / "manifests" / "exporter.yaml"
_VALUES = {
    "targets": {"kubernetes": {"selector": "app=vllm"}},
    "prometheusRule": {"enabled": False},
    "grafana": {"enabled": False},
}


def exporter() -> str:
    """What the file must hold."""
    documents = [without_helm(document) for document in manifests(_VALUES)]
    assert {document["metadata"]["namespace"] for document in documents} == {NAMESPACE}
    return dump(documents)
