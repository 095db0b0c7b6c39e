"""Models as their clients call them."""

from __future__ import annotations

from collections.abc import Sequence

from stack.model.target import Target


def served_names(fleet: Sequence[Target]) -> dict[str, str]:
    """Served model names by model root: LMCache knows a model by the path its engines loaded."""
    return {target.model_root: target.model for target in sorted(fleet, key=lambda target: target.model, reverse=True)}
