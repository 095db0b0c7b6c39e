"""Answers about what was desired before, for both sides."""

from __future__ import annotations

from typing import Any

import msgspec

from stack.control.audit import AuditRecord
from stack.control.state import SCHEMA


class GenerationView(msgspec.Struct, frozen=True, kw_only=True):
    """A generation: since when (Unix seconds), and who changed what for it; null where the log does not say."""

    generation: int
    at: float
    record: AuditRecord | None = None


class GenerationsView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/generations`: newest first."""

    generations: tuple[GenerationView, ...]


class KeptView(GenerationView, frozen=True, kw_only=True):
    """`GET /v1/generations/{generation}`: `desired` is the document as it was written then, by a release of `schema`.

    Both together are what a file says that control reads.
    """

    schema: int = SCHEMA
    desired: Any
