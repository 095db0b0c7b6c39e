"""One model's pool, as a page and its link name it."""

from __future__ import annotations

from dataclasses import dataclass

from stack.metrics.family import Label
from stack.metrics.promql import Where
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A pool of a model. As text it is `MODEL POOL`, which links carry."""

    model: str
    pool: str

    @classmethod
    def of(cls, text: str) -> Place | None:
        """What `text` names, None where that is no pool."""
        model, _, pool = text.rpartition(" ")
        return cls(model, pool) if model and pool in set(Pool) else None

    def __str__(self) -> str:
        return f"{self.model} {self.pool}"

    def within(self, where: Where) -> Where:
        """`where`, narrowed to this pool."""
        return {**where, Label.MODEL_NAME: self.model, Label.POOL: self.pool}
