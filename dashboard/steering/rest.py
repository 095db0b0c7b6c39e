"""The fields of the desired state that are seldom set: parameters, limits, bounds, sessions, tiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import streamlit as st

from dashboard.steering.draft import Draft
from dashboard.steering.kinds import edit
from dashboard.steering.words import Word, word
from dashboard.wording import code
from stack.control.settable import Settable, settable
from stack.control.tiers import size
from stack.model.tier import Pool

_TOP = ("strategy", "fallback_strategy", "dpd.enabled", "dpd.routing_threshold", "dpd.min_uncached_tokens")
_OF_POOLS = ("replicas", "strategy")  # drawn at the top of the form
_ELSEWHERE = ("drained", "NAME")  # engines are drained on their own page; quotas are the command line's


def rest(model: str, draft: Draft, key: str, *, locked: bool) -> dict[str, Any]:
    """Draw them in panels, and give what was edited in them as a merge patch."""
    fields = [field for field in settable() if seldom(field.path)]
    groups: dict[str, Callable[[str], bool]] = {
        "Parameters of strategies": lambda path: ".parameters." in path,
        "Limits": lambda path: path.startswith("limits."),
        "Pools: bounds, draining, prices": lambda path: path.startswith("pools.") and ".parameters." not in path,
        "Sessions, comparison, stalled engines": lambda path: "." not in path,
        "Cache tiers, of all models": lambda path: path.startswith("tiers."),
    }
    patch: dict[str, Any] = {}
    for title, belongs in groups.items():
        with st.expander(title, key=f"control-open-form-{title.split()[0].strip(':,').lower()}", bind="query-params"):
            for path, value in _group(model, [field for field in fields if belongs(field.path)], draft, key, locked):
                _put(patch, path, value)
    return patch


def _group(model: str, fields: Iterable[Settable], draft: Draft, key: str, locked: bool) -> Iterable[tuple[list[str], Any]]:
    """The paths in the whole document of what was edited, and the values."""
    document, acting = msgspec.to_builtins(draft.edited), _acting(draft)
    columns = st.columns(2)
    drawn = [field for field in fields if ".parameters." not in field.path or _strategy(field.path) in acting]
    for number, field in enumerate(drawn):
        path = field.path.split(".") if field.path.startswith("tiers.") else ["models", model, *field.path.split(".")]
        before = _at(document, path)
        with columns[_column(field.path, number)]:
            after = _edited(field, before, f"{field.path}-{key}", locked)
        if after != before:
            yield path, after


def _edited(field: Settable, value: Any, key: str, locked: bool) -> Any:
    named = _named(field)
    text = f"{named.help} {field.allowed[:1].upper()}{field.allowed[1:]}; default {field.default}. {code(field.path)}"
    clears = ".parameters." in field.path  # a strategy's default holds then
    empty = "not set" if field.value is None else f"default {field.default}"
    after = edit(named.label, field.kind, value, key=key, text=text, empty=empty, clears=clears, locked=locked)
    if field.path.endswith("bytes") and isinstance(after, int):
        st.caption(f"{named.label.partition(' (')[0]}: {size(after)}")
    return after


def _named(field: Settable) -> Word:
    if ".parameters." not in field.path:
        found = word(field.path)
        pool = field.path.split(".")[1] if field.path.startswith("pools.") else ""
        return Word(f"{pool.title()}: {_within(found.label)}" if pool else found.label, found.help)
    _, pool, _, strategy, name = field.path.split(".")
    return Word(f"{pool.title()}, {strategy}: {name}", f"{field.meaning[:1].upper()}{field.meaning[1:]}.")


def _within(label: str) -> str:
    """As it is written within a sentence: an abbreviation stays one."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def seldom(path: str) -> bool:
    """Whether the field is drawn here: not at the top of the form, nor on another page."""
    last = path.rpartition(".")[2]
    own = path.startswith("pools.") and path.count(".") == 2 and last in _OF_POOLS
    return path not in _TOP and not own and last not in _ELSEWHERE


def _acting(draft: Draft) -> set[str]:
    model = draft.model
    pools = (model.pools.of(pool).strategy for pool in Pool)
    return {model.strategy, model.fallback_strategy, *filter(None, pools)}


def _strategy(path: str) -> str:
    return path.split(".")[3]


def _column(path: str, number: int) -> int:
    if path.startswith("pools."):
        return 0 if path.split(".")[1] == Pool.PREFILL else 1
    return number % 2


def _at(document: dict[str, Any], path: list[str]) -> Any:
    found: Any = document
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _put(patch: dict[str, Any], path: list[str], value: Any) -> None:
    *parents, last = path
    for name in parents:
        patch = patch.setdefault(name, {})
    patch[last] = value
