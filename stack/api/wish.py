"""What somebody wants changed, as it arrives and as it is judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from stack.api.errors import ApiError
from stack.control.merge import DEPTH_MAX, too_deep
from stack.control.ports import Store, StoreError


@dataclass(frozen=True, slots=True)
class Wanted:
    """A merge patch or, when `whole`, a document that takes the place of what is desired: that of `rolled_back_to`, if not None."""

    document: object
    whole: bool = False
    rolled_back_to: int | None = None


@dataclass(frozen=True, slots=True)
class Patch:
    """A merge patch; `body` is JSON."""

    body: bytes

    async def read(self, _: Store) -> Wanted:
        """Raises ApiError."""
        return Wanted(_decoded(self.body))


@dataclass(frozen=True, slots=True)
class Declared:
    """What control's file says, which takes the place of what is desired; `body` is JSON."""

    body: bytes

    async def read(self, _: Store) -> Wanted:
        """Raises ApiError."""
        return Wanted(_decoded(self.body), whole=True)


class Rollback(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /v1/rollback`: the generation whose document is wanted again."""

    generation: int


@dataclass(frozen=True, slots=True)
class Back:
    """What was desired in an earlier generation; `body` is the JSON of a Rollback."""

    body: bytes

    async def read(self, store: Store) -> Wanted:
        """Raises ApiError; 404 for a generation that never was."""
        _decoded(self.body)
        try:
            number = msgspec.json.decode(self.body, type=Rollback).generation
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ApiError(400, "invalid_json", f'the body must be {{"generation": N}}: {error}') from error
        document = await kept(store, number)
        return Wanted(document, whole=True, rolled_back_to=number)


Wish = Patch | Declared | Back


async def kept(store: Store, generation: int) -> dict[str, Any]:
    """What was desired in `generation`, and by which schema. Raises ApiError."""
    try:
        document = await store.document(generation) if 0 <= generation < 2**63 else None
    except StoreError as error:
        raise ApiError(503, "not_readable", f"generation {generation} cannot be read: {error}") from error
    if not isinstance(document, dict):
        raise ApiError(404, "unknown_generation", f"there is no generation {generation}", "generation")
    return document


def _decoded(body: bytes) -> object:
    try:
        document = msgspec.json.decode(body)
        json.loads(body.decode(), object_pairs_hook=_once, parse_int=float)
    except RecursionError as error:
        raise ApiError(400, "invalid_json", "the JSON nests too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApiError(400, "invalid_json", f"the body is not JSON: {error}") from error
    if too_deep(document):
        raise ApiError(400, "invalid_json", f"the JSON nests deeper than {DEPTH_MAX} levels")
    return document


def _once(pairs: Sequence[tuple[str, object]]) -> None:
    """Refuse a key that an object has twice: msgspec takes the last one, a reader of the audit log may see the first."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise ApiError(400, "invalid_json", f"{name!r} stands twice in one object", name)
        seen.add(name)
