"""What a page hands to Streamlit as Markdown, read in its source: no name, reason or error of others stands in it bare."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import dashboard

FOLDER = Path(dashboard.__file__).parent
SOURCES = {str(file.relative_to(FOLDER)): ast.parse(file.read_text()) for file in sorted(FOLDER.rglob("*.py"))}
_MARKDOWN = frozenset({
    "badge", "button", "caption", "checkbox", "error", "expander", "header", "info", "markdown", "metric", "multiselect",
    "number_input", "page_link", "pills", "popover", "progress", "radio", "segmented_control", "select_slider", "selectbox", "show",
    "slider", "spinner", "status", "subheader", "success", "text_area", "text_input", "title", "toast", "toggle", "warning",
})  # fmt: skip
"""What draws Markdown, by name; `show` is one of them that was chosen before."""
_FOREIGN = frozenset({
    "actor", "by", "comment", "description", "desired_file", "engine", "error", "evidence", "field", "fix", "folder", "message",
    "model", "name", "policy", "ranked_by", "reason", "request_id", "runbook", "sentence", "severity", "summary", "url", "why",
    "words",
})  # fmt: skip
"""Attributes of what comes from outside."""
_NOT_MARKDOWN = frozenset({"alt", "key", "options"})


def _drawn(tree: ast.AST) -> Iterator[ast.expr]:
    """What is handed to something that draws Markdown."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _MARKDOWN:
            yield from node.args
            yield from (keyword.value for keyword in node.keywords if keyword.arg not in _NOT_MARKDOWN)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _bare(node: ast.AST) -> Iterator[str]:
    """Text of others that is part of `node` as it came; what another function makes of it is that one's."""
    match node:
        case ast.Attribute(attr=name) if name in _FOREIGN:
            yield ast.unparse(node)
        case ast.Name(id="error"):
            yield "error"
        case ast.Call(func=ast.Name(id="str") | ast.Attribute(attr="join"), args=args):
            yield from _within(args)
        case ast.Call(func=ast.Attribute(value=value)):
            yield from _bare(value)
        case ast.IfExp(body=body, orelse=other):
            yield from _within([body, other])
        case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each):
            yield from _bare(each)
        case ast.Call() | ast.Compare() | ast.Attribute() | ast.Subscript() | ast.Dict():
            return
        case _:
            yield from _within(ast.iter_child_nodes(node))


def _within(nodes: Iterator[ast.AST] | list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        yield from _bare(node)


def _quoted(tree: ast.AST) -> Iterator[str]:
    """What an f-string puts within backticks."""
    for text in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
        for before, value in zip(text.values, text.values[1:], strict=False):
            if isinstance(before, ast.Constant) and str(before.value).endswith("`") and isinstance(value, ast.FormattedValue):
                yield ast.unparse(value.value)


def test_what_comes_from_outside_is_made_plain_or_code_where_it_is_drawn() -> None:
    assert {name: found for name, tree in SOURCES.items() if (found := [*_within([*_drawn(tree)])])} == {}


def test_it_is_wording_alone_that_puts_something_within_backticks() -> None:
    assert {name: found for name, tree in SOURCES.items() if (found := [*_quoted(tree)])} == {"wording.py": ["line"]}


@pytest.mark.parametrize("source", [
    "st.error(f'Refused: {error}.')", "st.info(error.message)", "st.markdown(', '.join(one.name for one in found))",
    "st.metric('Engines', view.name)", "st.button('Go', help=f'of {view.model or 1}')", "show(str(error))",
])  # fmt: skip
def test_text_of_others_is_found_in_whatever_it_stands(source: str) -> None:
    assert [*_within([*_drawn(ast.parse(source))])]


def test_what_stands_within_backticks_is_found() -> None:
    assert [*_quoted(ast.parse("st.info(f'Of `{view.name}`')"))] == ["view.name"]
