"""What can be left out of Prometheus."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from stack.deploy.copies import CHART
from tests.alerts.foreign_names import foreign_names
from tests.alerts.promql_names import names
from tests.alerts.promtool import ROOT, tool
from tests.exporters.recorded import exposition
from tests.expressions.expressions import panels, rules

FILE = ROOT / "stack" / "deploy" / "prometheus" / "drop-list.yaml"
README = (ROOT / "exporters" / "README.md").read_text()
EXPORTER = (ROOT / "tests" / "exporters" / "expected" / "dpd-with-lmcache.txt").read_text()
ENGINE, SERVER = exposition("vllm-0.32-nixl-lmcache-decode").decode(), exposition("lmcache-0.5.6-mp-server").decode()
_NAME = re.compile(r"^([a-zA-Z_:][\w:]*)[{ ]", re.MULTILINE)


def dropped(job: str) -> list[re.Pattern[str]]:
    """The patterns of one job, anchored as Prometheus anchors them."""
    document: dict[str, Any] = yaml.safe_load(FILE.read_text())
    configs = next(each["metric_relabel_configs"] for each in document["scrape_configs"] if each["job_name"] == job)
    assert all((each["source_labels"], each["action"]) == (["__name__"], "drop") for each in configs)
    return [re.compile(each["regex"]) for each in configs]


def left(series: Iterable[str], job: str) -> list[str]:
    return [name for name in series if not any(pattern.fullmatch(name) for pattern in dropped(job))]


def asked() -> set[str]:
    """What rules and panels ask for."""
    expressions = [*(expression for _, expression in rules()), *(query.expr for panel in panels() for query in panel.queries)]
    return {name for expression in expressions for name in names(expression)}


def test_prometheus_reads_it(tmp_path: Path) -> None:
    done = subprocess.run([tool("promtool"), "check", "config", FILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_chart_holds_it_as_it_is() -> None:
    held = CHART / "prometheus" / "drop-list.yaml"
    assert held.read_text() == FILE.read_text(), "run: python -m stack.deploy"


def test_nothing_that_a_rule_or_a_panel_asks_for_is_dropped() -> None:
    for job in ("kvdeck-exporter", "vllm", "lmcache"):
        wanted = sorted(asked())
        assert left(wanted, job) == wanted


def test_every_pattern_drops_something_that_is_there() -> None:
    known = {"kvdeck-exporter": set(_NAME.findall(EXPORTER)), "vllm": foreign_names(), "lmcache": foreign_names()}
    for job, there in known.items():
        assert all(any(pattern.fullmatch(name) for name in there) for pattern in dropped(job))


def test_the_readme_tells_what_it_saves() -> None:
    of_one = [
        name
        for line in EXPORTER.splitlines()
        if 'replica="decode-0"' in line or 'target="decode-0"' in line
        for name in _NAME.findall(line)
    ]
    engine, server = _NAME.findall(ENGINE), _NAME.findall(SERVER)
    before, after = len(of_one), len(left(of_one, "kvdeck-exporter"))
    told = (
        f"takes {before} to {after}, vLLM's own {len(engine)} to {len(left(engine, 'vllm'))}, an LMCache server's {len(server)} to "
        f"{len(left(server, 'lmcache'))}"
    )
    assert told in " ".join(README.split())
