"""One number as a page shows it, with what it means; what did not happen has no number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit; `beside` is a second one that belongs to it."""

    title: str
    value: str
    help: str
    beside: str | None = None
