"""What the dashboard's pages ask, and what no feed can answer."""

from __future__ import annotations

from datetime import timedelta

from dashboard.scope import Scope
from dashboard.views import cache, dpd
from stack.metrics.queries import Query

_SCOPE = Scope(timedelta(minutes=15), None, {})


def questions() -> dict[str, Query]:
    """Every question by its page, part and name, as asked of all fleets."""
    return {
        f"{page}, {title}, {name}": question.query
        for page, parts in {"cache": cache.PARTS, "dpd": dpd.PARTS}.items()
        for title, part in parts.items()
        for name, question in part.questions(_SCOPE).items()
    }


SILENT: dict[str, str] = {
    "cache, Found and loaded, engines now": "no engine loads less than LMCache finds for it",
    **dict.fromkeys(
        (f"cache, {part}, untold" for part in ("Where KV came from", "Engines", "Not told")), "all engines that are listed tell"
    ),
    **dict.fromkeys((f"cache, {part}, unread" for part in ("Where KV came from", "Not told")), "all targets can be read"),
    "cache, Where KV came from, states": "what the sources rest on is told by all",
}
"""Questions that no feed has an answer to, and why."""
