"""Names and texts of others that would be markup, wherever a page may take them from; and whether one of them is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from stack.metrics.family import Label
from tests.dashboard.fakes import Series
from tests.dashboard.reading import outside_code, read

ENGINE = "decode-e`[x](javascript:alert(1))`"
MODEL = "*a*_b_ :red[c] $d$ <img src=x>"
TEXT = "![](http://127.0.0.1:9/x) %{y}"
LINES = "so\n# heading"
_LIVE = re.compile(
    r"(?<!\\)(?:\*a\*|_b_|:red\[c|\$d\$|<img|!\[|\]\((?:javascript|http://127\.0\.0\.1:9/x))|^# heading", re.MULTILINE
)
_MARKDOWN = frozenset({"body", "label", "help", "delta", "text", "content"})
"""Fields of Streamlit's messages that its page reads as Markdown."""
_CLOSED = {
    Label.POOL: ("decode", "prefill"),
    Label.PATH: ("dpd", "direct", TEXT),
    Label.SOURCE: ("engine", "unknown", "computed"),
    Label.TIER: ("engine", "l1"),
    Label.PHASE: ("prefill", "decode"),
    Label.EVENT: ("since", "joined", "left", "lifetime"),
    Label.CODE: ("2xx", TEXT),
    Label.EMULATED: ("true", "false"),
}
"""Labels of which a page knows every value, or some."""
_OTHERS = {Label.MODEL_NAME: MODEL, Label.REPLICA: ENGINE, Label.BACKEND: ENGINE, Label.TARGET: ENGINE}


class Everything(Mapping[str, Sequence[Series]]):
    """What a Prometheus answers that knows something of everything it is asked: each of `quantities`, of names of others.

    `told` is what it says to some questions instead.
    """

    def __init__(self, quantities: Iterable[str], told: Mapping[str, Sequence[Series]] | None = None) -> None:
        self._told = told or {}
        self._usual = [(_labels(number, quantity), 0.5 + number) for number, quantity in enumerate(quantities)]

    def __getitem__(self, expression: str) -> Sequence[Series]:
        return self._told.get(expression, self._usual)

    def __iter__(self) -> Iterator[str]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)


def labels(**own: str) -> dict[str, str]:
    """All labels, of which `own` are as said and the others are names of others."""
    return {"alertname": TEXT, "severity": TEXT, **{label.value: _OTHERS.get(label, TEXT) for label in Label}, **own}


def _labels(number: int, quantity: str) -> dict[str, str]:
    closed = {label.value: values[number % len(values)] for label, values in _CLOSED.items()}
    return labels(**closed, quantity=quantity, state=quantity)


def markdown(page: AppTest) -> list[str]:
    """Every text of the page that is read as Markdown."""
    return [text for node in _nodes(page.main) if node.type != "html" for text in _texts(node.proto)]


def _nodes(block: Block) -> Iterator[Any]:
    for node in block.children.values():
        yield node
        if isinstance(node, Block):
            yield from _nodes(node)


def _texts(message: Any) -> Iterator[str]:
    for field, value in message.ListFields() if message is not None else ():
        for one in [value] if isinstance(value, str | bytes) or not isinstance(value, Iterable) else value:
            if hasattr(one, "ListFields"):
                yield from _texts(one)
            elif isinstance(one, str) and field.name in _MARKDOWN:
                yield one


def live(page: AppTest) -> list[str]:
    """Texts of the page in which something of others is markup, or for a figure a tag or a template."""
    figures = [text for chart in page.get("plotly_chart") for text in _strings(json.loads(chart.proto.spec))]
    drawn = [text for text in figures if "<img" in text or TEXT in text]
    written = [each.proto.body for each in page.get("html") if "<img" in each.proto.body]
    return [text for text in markdown(page) if _LIVE.search(outside_code(text))] + drawn + written


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)


def shown(page: AppTest, *names: str) -> set[str]:
    """Those of `names` that somebody reads on the page outside of its tables, as they are written."""
    texts = [read(text) for text in markdown(page)]
    return {name for name in names if any(" ".join(name.split()) in text for text in texts)}
