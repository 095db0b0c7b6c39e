"""What the chart holds copies of: Helm reads no file outside of a chart, and some that fetch charts from Git drop links."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHART = ROOT / "stack" / "deploy" / "chart"


def copies(root: Path = ROOT) -> dict[Path, bytes]:
    """Each copied file's content by its path below the chart."""
    alerts = root / "alerts"
    paths = [*sorted((alerts / "rules").rglob("*.yaml")), alerts / "thresholds.yaml"]
    return {path.relative_to(root): path.read_bytes() for path in paths}


def write(chart: Path = CHART, root: Path = ROOT) -> None:
    """Write all copies, and nothing else, where they belong. Raises OSError."""
    shutil.rmtree(chart / "alerts", ignore_errors=True)
    for name, content in copies(root).items():
        path = chart / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
