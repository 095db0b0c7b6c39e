"""Results as a person or a program reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from rich.console import Group
from rich.table import Table
from rich.text import Text

from stack.control.precondition import Verdict
from stack.doctor.examination import Result, preconditions

_STYLES = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.UNKNOWN: "yellow", Verdict.NOT_APPLICABLE: "dim"}
_WORDS = {verdict: verdict.value.replace("_", " ") for verdict in Verdict}


def report(results: Sequence[Result]) -> Group:
    """Checks under their groups; a failed one with why it matters and what to do."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    group = None
    for result in results:
        if result.check.group is not group:
            group = result.check.group
            table.add_row("", "")
            table.add_row(Text(group.value, style="bold"), "")
        style = _STYLES[result.verdict]
        table.add_row(Text(f"  {_WORDS[result.verdict]}", style=style), Text(f"{result.check.title}: {result.finding.evidence}"))
        if result.verdict is Verdict.FAIL:
            table.add_row("", Text(f"{result.check.why}", style="dim"))
            table.add_row("", Text(f"Fix: {result.check.fix}"))
    count = Counter(result.verdict for result in results)
    return Group(table, Text("\n" + ", ".join(f"{count[verdict]} {_WORDS[verdict]}" for verdict in Verdict)))


def document(results: Sequence[Result]) -> str:
    """The same as one JSON document."""
    return msgspec.json.encode({"checks": preconditions(results)}).decode()
