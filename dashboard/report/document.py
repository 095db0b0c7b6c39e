"""A report as one HTML file that asks nothing of any network: scripts, styles and figures are within it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from dashboard import wording
from dashboard.overall.tables import Table
from dashboard.plots import Plot
from dashboard.report.reading import Report


def html(report: Report, *, prometheus: str, control: str | None, made: str) -> str:
    """The document. `made` is when it was written, in words; the sources are told without user, password and query."""
    environment = Environment(loader=PackageLoader("dashboard.report", "."), autoescape=True, undefined=StrictUndefined)
    drawn = [plot for plot in report.plots if plot.figure is not None]
    return environment.get_template("overview.html.j2").render(
        report=report,
        span=report.subject.span,
        zone=report.subject.span.end.tzname(),
        sources=[wording.address(url) for url in (prometheus, control) if url],
        made=made,
        release=version("kvdeck"),
        cells=_cells,
        numbered=[(None if plot.figure is None else drawn.index(plot), plot) for plot in report.plots],
        figures=_script(drawn),
        plotly=Markup(get_plotlyjs()) if drawn else "",
    )


def _cells(table: Table) -> list[list[tuple[str, bool]]]:
    """Each row's cells as text, and whether it is a number."""
    return [
        [(column.written(cell), bool(column.form)) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows
    ]


def _script(drawn: Sequence[Plot]) -> Markup:
    """Figures as JSON that a script element may hold: nothing in it can end the element."""
    plain: list[dict[str, Any]] = [{**plot.figure.to_dict(), "alt": plot.alt} for plot in drawn if plot.figure is not None]
    for each in plain:
        each["layout"] = {name: value for name, value in each["layout"].items() if name != "template"}
    text = json.dumps(plain, default=str).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(text)  # escaped above
