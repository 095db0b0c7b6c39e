"""Prometheus' job that has the exporter read what Prometheus found."""

import subprocess
from typing import Any

import yaml

from exporters.probe import question
from stack.model.tier import Pool
from tests.alerts.promtool import ROOT, tool

FILE = ROOT / "stack" / "deploy" / "prometheus" / "probe.yaml"


def test_prometheus_reads_it() -> None:
    done = subprocess.run([tool("promtool"), "check", "config", FILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_it_asks_is_a_question_that_the_exporter_answers() -> None:
    (job,) = yaml.safe_load(FILE.read_text())["scrape_configs"]
    found = {"__address__": "10.0.0.7:8000", "replica": "", "pool": "prefill"}
    asked = {name: values[0] for name, values in job["params"].items()} | parameters(job["relabel_configs"], found)
    understood = question(asked, frozenset({"engines", "lmcache"}))
    assert (understood.module, understood.url, understood.replica, understood.pool) == (
        "engines", "http://10.0.0.7:8000", "10.0.0.7:8000", Pool.PREFILL,
    )  # fmt: skip
    assert set(asked) <= {"target", "module", "replica", "pool"}


def parameters(steps: list[dict[str, Any]], labels: dict[str, str]) -> dict[str, str]:
    """The query's parameters that plain relabeling makes of a target's labels."""
    for step in steps:
        labels = labels | {step["target_label"]: step.get("replacement") or labels[step["source_labels"][0]]}
    return {name.removeprefix("__param_"): value for name, value in labels.items() if name.startswith("__param_")}
