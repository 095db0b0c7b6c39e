"""What the chart holds of the rules: Helm reads no file outside of a chart, and some that fetch charts from Git drop links."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from stack.deploy import schema

ROOT = Path(__file__).parents[2]
CHART = ROOT / "stack" / "deploy" / "chart"
_SCHEMA = Path("values.schema.json")


def copies(root: Path = ROOT, chart: Path = CHART) -> dict[Path, bytes]:
    """What each file that follows from the rules must hold, by its path below the chart: their copies, and the values' schema."""
    alerts = root / "alerts"
    rules = {path.relative_to(root): path.read_bytes() for path in sorted((alerts / "rules").rglob("*.yaml"))}
    thresholds = (alerts / "thresholds.yaml").read_bytes()
    groups = [group for text in rules.values() for group in yaml.safe_load(text)["groups"]]
    names = [rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule]
    values = schema.with_alerts(json.loads((chart / _SCHEMA).read_text()), names, yaml.safe_load(thresholds))
    return {**rules, Path("alerts/thresholds.yaml"): thresholds, _SCHEMA: schema.text(values).encode()}


def held(chart: Path = CHART) -> dict[Path, bytes]:
    """What these files hold now."""
    paths = [chart / _SCHEMA, *(path for path in (chart / "alerts").rglob("*") if path.is_file())]
    return {path.relative_to(chart): path.read_bytes() for path in paths}


def write(root: Path = ROOT, chart: Path = CHART) -> None:
    """Write them, and none that no longer belongs there. Raises OSError."""
    files = copies(root, chart)
    shutil.rmtree(chart / "alerts", ignore_errors=True)
    for name, content in files.items():
        path = chart / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
