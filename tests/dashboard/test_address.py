"""Each page's choices have names of their own in the URL, and links with the names of once go on working."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard.pages import PAGES
from dashboard.scope import USUAL
from tests.dashboard.conftest import Opener

ROOT = Path(dashboard.__path__[0])
TOOLBAR = ("scope.py", "hours.py")
"""What they bind has the names of `USUAL`."""
PARTS = {
    "overall": "overview", "caching": "cache", "transfers": "dpd", "deciding": "routing", "fleet": "engines", "steering": "control",
    "alarms": "alerts", "findings": "doctor",
}  # fmt: skip
"""The folders of pages' parts, and the page."""
MODULES = {path: ast.parse(path.read_text()) for path in ROOT.rglob("*.py")}


def bound() -> Iterator[tuple[Path, str]]:
    """Each module that binds a widget to the URL, and the name there; what follows a name's beginning is `*`."""
    for path, tree in MODULES.items():
        if path.name in TOOLBAR:
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                for call in _calls(function):
                    given = {word.arg: word.value for word in call.keywords}
                    if "bind" in given:
                        yield from _names(path, function, given["key"])


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _names(path: Path, function: ast.FunctionDef, key: ast.expr) -> Iterator[tuple[Path, str]]:
    match key:
        case ast.Constant(str(name)):
            yield path, name
        case ast.JoinedStr([ast.Constant(str(begin)), *_]):
            yield path, f"{begin}*"
        case ast.Name(name) if name in (given := [one.arg for one in function.args.args]):
            for other in [path] if function.name.startswith("_") else MODULES:
                for call in _calls(MODULES[other]):
                    if isinstance(call.func, ast.Name) and call.func.id == function.name:
                        yield from _names(other, function, call.args[given.index(name)])
        case ast.Name(name):
            yield path, _constants(MODULES[path])[name]


def _constants(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(str(text))):
                found[name] = text
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                for target, value in zip(names, values, strict=True):
                    if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
                        found[target.id] = str(value.value)
            case ast.ImportFrom(str(module), imported) if module.startswith("dashboard."):
                other = _constants(MODULES[ROOT.parent / f"{module.replace('.', '/')}.py"]) if _read(module) else {}
                found |= {one.name: other[one.name] for one in imported if one.name in other}
    return found


def _read(module: str) -> bool:
    return ROOT.parent / f"{module.replace('.', '/')}.py" in MODULES


def page(path: Path) -> str:
    part = path.relative_to(ROOT).parts[0]
    return PARTS.get(part, path.stem)


BOUND = sorted(bound())


def test_all_that_is_bound_is_found() -> None:
    written = sum(path.read_text().count('bind="query-params"') for path in MODULES if path.name not in TOOLBAR)
    assert len(BOUND) >= written
    assert {"cache-part", "dpd-threshold", "routing-path", "alerts-open-*"} <= {name for _, name in BOUND}


@pytest.mark.parametrize(("path", "name"), BOUND, ids=lambda value: value if isinstance(value, str) else value.stem)
def test_what_a_page_binds_to_the_url_begins_with_the_pages_own_path(path: Path, name: str) -> None:
    assert page(path) in {one.path for one in PAGES}
    assert name.startswith(f"{page(path)}-")


def test_no_two_choices_have_one_name_in_the_url() -> None:
    names = [*USUAL, *(name for _, name in BOUND)]
    assert sorted(set(names)) == sorted(names)
    begun = [name.removesuffix("*") for name in names if name.endswith("*")]
    assert [(begin, name) for begin in begun for name in names if name.startswith(begin) and name != f"{begin}*"] == []


def test_a_link_with_the_names_of_once_chooses_what_it_did(opened: Opener) -> None:
    shown = opened("routing", {"engine": "decode-1", "decisions-status": "5xx", "routing-view": "Decisions", "range": "1h"})
    assert (shown.selectbox(key="routing-engine").value, shown.selectbox(key="routing-status").value) == ("decode-1", "5xx")
    assert shown.segmented_control(key="range").value == "1h"
    assert {"engine", "decisions-status"}.isdisjoint(shown.query_params)


def _page() -> None:
    from dashboard.scope import toolbar

    toolbar("A page")


def test_what_was_picked_on_the_page_before_is_in_the_link_too_and_what_a_link_chose_instead_of_it(
    environment: pytest.MonkeyPatch,
) -> None:
    page = AppTest.from_function(_page, default_timeout=60)
    page.session_state["page drawn"] = "The page before"
    page.session_state["range"], page.session_state["model"], page.session_state["refresh"] = "1h", "m", "5s"
    page.query_params["to-model"] = "other"
    page.run()
    page.session_state["control"].close()
    assert dict(page.query_params) == {"range": "1h", "model": "other"}
    assert (page.segmented_control(key="range").value, page.selectbox(key="model").value) == ("1h", "other")


def test_until_a_page_is_drawn_to_its_end_its_browser_is_told_again_what_was_picked(environment: pytest.MonkeyPatch) -> None:
    """It may have been broken off: a field that the browser first draws afterwards would start at the usual choice, and send it."""
    page = AppTest.from_function(_page, default_timeout=60)
    page.session_state["page drawn"] = "The page before"
    page.session_state["range"], page.session_state["refresh"] = "1h", "1m"
    told = [_told(page.run()), _told(page.run())]
    page.session_state["page drawn"] = "A page"
    told.append(_told(page.run()))
    page.session_state["control"].close()
    assert told == [{"range": "1h", "refresh": "1m"}, {"range": "1h", "refresh": "1m"}, {}]


def _told(page: AppTest) -> dict[str, object]:
    fields = (page.segmented_control(key="range"), page.selectbox(key="refresh"))
    return {str(field.key): field.value for field in fields if field.proto.set_value}
