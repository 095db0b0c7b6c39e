"""The tables of alerts/README.md, from the rules and the runbooks. `python -m tests.alerts.tables` writes them."""

import re
from collections.abc import Iterable

from tests.alerts.promtool import ROOT
from tests.alerts.ruleset import FILES, NAMES, Rule, meaning, rules_of

README = ROOT / "alerts" / "README.md"
_SEVERITIES = ("critical", "warning", "info")
_NEEDS = ("native", "exporter", "router", "control")
_COMMENTED = re.compile(r"((?: *# .*\n)*) *- record: (\S+)")


def alerts() -> str:
    """One row a name: what it means is the first sentence of its runbook."""
    rows = ((f"[{name}](runbooks/{name}.md)", *_told(rules_of(name)), meaning(name)) for name in sorted(NAMES, key=_place))
    return _table(("alert", "severity", "requires", "for", "meaning"), rows)


def records() -> str:
    """One row a comment in the rules: it is about the records below it, up to the next one."""
    rows: list[tuple[str, str]] = []
    for comment, name in (found for path in FILES for found in _COMMENTED.findall(path.read_text())):
        told = " ".join(line.strip().removeprefix("# ") for line in comment.splitlines())
        if told or not rows:
            rows.append((f"`{name}`", told))
        elif f"`{name}`" not in rows[-1][0]:
            level, _, operation = name.rpartition(":")
            short = f", `:{operation}`" if f"`{level}:" in rows[-1][0] else f", `{name}`"
            rows[-1] = (rows[-1][0] + short, rows[-1][1])
    return _table(("recording rule", "what it is"), rows)


def with_tables(document: str) -> str:
    """`document` with both tables between their markers."""
    for name, table in (("alerts", alerts()), ("records", records())):
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, _, rest = document.partition(begin)
        document = before + begin + table + end + rest.partition(end)[2]
    return document


def _told(rules: list[Rule]) -> tuple[str, str, str]:
    severities = {rule["labels"]["severity"] for rule in rules}
    needs = {rule["labels"]["requires"] for rule in rules}
    waits = dict.fromkeys(rule.get("for", "0s") for rule in rules)
    return (
        ", ".join(filter(severities.__contains__, _SEVERITIES)),
        ", ".join(filter(needs.__contains__, _NEEDS)),
        ", ".join(waits),
    )


def _place(name: str) -> tuple[int, int, str]:
    """The worst first, and of those what needs least."""
    rules = rules_of(name)
    worst = min(_SEVERITIES.index(rule["labels"]["severity"]) for rule in rules)
    return worst, min(_NEEDS.index(rule["labels"]["requires"]) for rule in rules), name


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (columns, tuple("---" for _ in columns), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text()))
