"""Documents of another release: read as far as they are understood, and what was not is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import inspect

from stack.control.decision import DecisionRecord
from stack.control.link import RouterConfig, RouterReport
from stack.control.merge import merge
from stack.control.ports import Kept
from stack.control.state import SCHEMA, Desired
from stack.strategies.base import names
from stack.strategies.parameters import declared

T = TypeVar("T")

_Path = tuple[str, ...]

IGNORED_MAX = 32  # paths told of one document: enough to see what a newer release brought


class NotUnderstoodError(ValueError):
    """A configuration that cannot be applied honestly; `version` and `generation` are its own, the message says why."""

    def __init__(self, version: int, generation: int, message: str) -> None:
        super().__init__(message)
        self.version, self.generation = version, generation


@dataclass(frozen=True, slots=True)
class Received:
    """A configuration as far as this release understands it. `ignored` are the paths of fields it goes without."""

    config: RouterConfig
    ignored: tuple[str, ...] = ()


class _Which(msgspec.Struct, frozen=True):
    """What every release says of a configuration."""

    version: int
    generation: int
    requires: int = 0


def known(document: object, kind: type) -> tuple[object, tuple[str, ...]]:
    """Decoded JSON without the fields that `kind` does not have, and the paths of those; types are not looked at."""
    ignored: list[_Path] = []
    return _known(document, inspect.type_info(kind), (), ignored), _told(ignored)


def understood(body: bytes, kind: type[T]) -> T:
    """An answer of control of this release or another, without the fields that `kind` does not have.

    Raises msgspec.DecodeError.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:  # what is desired may have more fields, and forbids them
        return msgspec.convert(known(msgspec.json.decode(body), kind)[0], kind)


def kept(generation: int, document: dict[str, object]) -> Kept:
    """What this release or another kept. Fields of a newer one are carried along for it. Raises msgspec.ValidationError."""
    schema = document.pop("schema", SCHEMA)
    ignored: list[_Path] = []
    desired = msgspec.convert(_known(document, inspect.type_info(Desired), (), ignored), Desired)
    beyond: dict[str, object] = {}
    for path in ignored:
        _copy(document, beyond, path)
    return Kept(generation, desired, schema=schema if isinstance(schema, int) else SCHEMA, beyond=beyond, ignored=_told(ignored))


def keeping(kept: Kept) -> dict[str, object]:
    """The document that `kept` is read from again, by this release or the newer one that part of it is from."""
    document = merge({"schema": kept.schema} | msgspec.to_builtins(kept.desired), kept.beyond)
    assert isinstance(document, dict)
    return document


def configured(document: dict[str, object]) -> tuple[Desired, tuple[str, ...]]:
    """The `desired:` of a configuration, and the paths that were ignored: none, unless its `schema:` is a newer release's.

    Raises msgspec.ValidationError.
    """
    schema, desired = document.get("schema", SCHEMA), document.get("desired")
    if isinstance(schema, int) and schema > SCHEMA:
        desired, ignored = known(desired, Desired)
        return msgspec.convert(desired, Desired), ignored
    return msgspec.convert(desired, Desired), ()


def received(body: bytes) -> Received:
    """A configuration by control of this release or another.

    Raises NotUnderstoodError where it says that this release is too old for it, or has values that this release does not
    know; msgspec.DecodeError where it is no configuration.
    """
    which = msgspec.json.decode(body, type=_Which)
    if which.requires > SCHEMA:
        raise NotUnderstoodError(
            which.version, which.generation, f"it takes a router of schema {which.requires} or later, this one's is {SCHEMA}"
        )
    document, ignored = known(msgspec.json.decode(body), RouterConfig)
    try:
        return _whole_trials(msgspec.convert(document, RouterConfig), ignored)
    except msgspec.ValidationError as error:
        if isinstance(document, dict) and document.pop("experiments", None):
            return received(msgspec.json.encode(document))
        raise NotUnderstoodError(which.version, which.generation, str(error)) from error


def _whole_trials(config: RouterConfig, ignored: tuple[str, ...]) -> Received:
    """A candidate of which part is not known is not tried at all: what came of it would be told of another."""
    if any(path.startswith("experiments.") for path in ignored):
        config = msgspec.structs.replace(config, experiments={})
    return Received(config, ignored)


def reported(body: bytes) -> RouterReport:
    """A report by a router of this release or another: decisions that are not understood are null.

    Raises msgspec.DecodeError where it is no report.
    """
    try:
        return msgspec.json.decode(body, type=RouterReport)
    except msgspec.ValidationError:
        document = msgspec.json.decode(body)
        decisions = document.pop("decisions", None) if isinstance(document, dict) else None
        if not isinstance(decisions, list):
            raise
        report = msgspec.convert(document, RouterReport)
        return msgspec.structs.replace(report, decisions=tuple(map(_record, decisions)))


def _record(document: object) -> DecisionRecord | None:
    try:
        return msgspec.convert(document, DecisionRecord)
    except msgspec.ValidationError:
        return None


def _known(document: object, kind: inspect.Type, path: _Path, ignored: list[_Path]) -> object:
    if isinstance(kind, inspect.StructType) and isinstance(document, dict):
        fields = {field.encode_name: field.type for field in kind.fields}
        ignored += [(*path, name) for name in document if name not in fields]
        return {name: _known(value, fields[name], (*path, name), ignored) for name, value in document.items() if name in fields}
    if path[-1:] == ("parameters",) and isinstance(document, dict):
        return _known_parameters(document, path, ignored)
    if isinstance(kind, inspect.DictType) and isinstance(document, dict):
        return {name: _known(value, kind.value_type, (*path, name), ignored) for name, value in document.items()}
    if isinstance(kind, inspect.VarTupleType) and isinstance(document, list):
        return [_known(value, kind.item_type, (*path, str(place)), ignored) for place, value in enumerate(document)]
    if isinstance(kind, inspect.UnionType):
        inner = next((each for each in kind.types if isinstance(each, inspect.StructType | inspect.DictType)), None)
        return document if inner is None else _known(document, inner, path, ignored)
    return document


def _known_parameters(document: dict[str, object], path: _Path, ignored: list[_Path]) -> object:
    """What strategies of this release take: a parameter goes as a field does, that of a strategy not known here as well."""
    kept: dict[str, object] = {}
    for strategy, values in document.items():
        if strategy not in names():
            ignored.append((*path, strategy))
        elif not isinstance(values, dict):
            kept[strategy] = values
        else:
            ignored += [(*path, strategy, name) for name in values if name not in declared(strategy)]
            kept[strategy] = {name: value for name, value in values.items() if name in declared(strategy)}
    return kept


def _told(paths: Sequence[_Path]) -> tuple[str, ...]:
    return tuple(".".join(path) for path in paths[:IGNORED_MAX])


def _copy(source: object, target: dict[str, object], path: _Path) -> None:
    """What stands at `path`, into the same place. The desired state has no lists of objects, so all of it is objects."""
    for name in path[:-1]:
        source, target = _object(source)[name], _object(target.setdefault(name, {}))
    target[path[-1]] = _object(source)[path[-1]]


def _object(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value
