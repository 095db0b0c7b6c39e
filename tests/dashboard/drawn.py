"""What a page drew, read from the figures that its browser got."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def traces(page: AppTest, key: str) -> list[dict[str, Any]]:
    """The traces of the chart of this key."""
    (chart,) = (one for one in page.get("plotly_chart") if one.proto.id.endswith(f"-{key}"))
    found: list[dict[str, Any]] = json.loads(chart.proto.spec)["data"]
    return found


def changes(page: AppTest, key: str) -> list[str]:
    """What its marks tell."""
    return [text for trace in traces(page, key) if trace.get("name") == "changes" for text in trace["text"]]
