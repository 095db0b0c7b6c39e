"""What is deployed of rules and drop list, for those who cannot read them where they are: Helm reads no file outside a chart, and
some that fetch charts from Git drop links; PrometheusRules hold their rules themselves.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from stack.deploy import schema
from stack.deploy.manifests import dump, prometheus_rules

ROOT = Path(__file__).parents[2]
DEPLOY = Path("stack/deploy")
CHART = ROOT / DEPLOY / "chart"
_SCHEMA = DEPLOY / "chart" / "values.schema.json"
_MANIFEST = DEPLOY / "manifests" / "rules.yaml"
_ALERTS = DEPLOY / "chart" / "alerts"
_DROPPED = Path("prometheus/drop-list.yaml")


def copies(root: Path = ROOT) -> dict[Path, bytes]:
    """What each file that follows from others must hold, by its path: copies in the chart, its values' schema, a manifest."""
    alerts = root / "alerts"
    rules = {path.relative_to(alerts / "rules"): path.read_bytes() for path in sorted((alerts / "rules").rglob("*.yaml"))}
    thresholds = (alerts / "thresholds.yaml").read_bytes()
    groups = [group for text in rules.values() for group in yaml.safe_load(text)["groups"]]
    names = [rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule]
    values = schema.with_alerts(json.loads((root / _SCHEMA).read_text()), names, yaml.safe_load(thresholds))
    return {
        **{_ALERTS / "rules" / path: text for path, text in rules.items()},
        _ALERTS / "thresholds.yaml": thresholds,
        _SCHEMA: schema.text(values).encode(),
        DEPLOY / "chart" / _DROPPED: (root / DEPLOY / _DROPPED).read_bytes(),
        _MANIFEST: dump(prometheus_rules(rules)).encode(),
    }


def held(root: Path = ROOT) -> dict[Path, bytes]:
    """What these files hold now."""
    single = (_SCHEMA, _MANIFEST, DEPLOY / "chart" / _DROPPED)
    paths = [*(root / path for path in single), *(path for path in (root / _ALERTS).rglob("*") if path.is_file())]
    return {path.relative_to(root): path.read_bytes() for path in paths}


def write(root: Path = ROOT) -> None:
    """Write them, and none that no longer belongs there. Raises OSError."""
    files = copies(root)
    shutil.rmtree(root / _ALERTS, ignore_errors=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
