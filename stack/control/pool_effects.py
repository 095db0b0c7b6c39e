"""What a change does to the rules a pool is sized by, as values that explain themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class ChangeBounds:
    """Between which numbers of engines `pool` may be set from now on."""

    kind: ClassVar[str] = "change_bounds"
    model: str
    pool: Pool
    min: int
    max: int

    @property
    def sentence(self) -> str:
        return f"The {self.pool} pool may have {self.min} to {self.max} engines; a change beyond is refused."


@dataclass(frozen=True, slots=True)
class ChangeDrainTime:
    """How long an engine of `pool` that leaves has for its requests, in seconds; None is control's own setting."""

    kind: ClassVar[str] = "change_drain_time"
    model: str
    pool: Pool
    before: float | None
    after: float | None

    @property
    def sentence(self) -> str:
        now = f"A leaving {self.pool} engine has {_seconds(self.after)} for what it has in flight"
        return f"{now} (until now {_seconds(self.before)}), one that drains already, too."


@dataclass(frozen=True, slots=True)
class ChangePrice:
    """What an engine of `pool` is taken to cost: a GPU's hour in any currency (None: nobody says), and how many it has."""

    kind: ClassVar[str] = "change_price"
    model: str
    pool: Pool
    before: tuple[float | None, int]
    after: tuple[float | None, int]

    @property
    def sentence(self) -> str:
        return (
            f"Reports take a {self.pool} engine for {_gpus(*self.after)} (until now {_gpus(*self.before)}). Nothing else changes."
        )


def _gpus(price: float | None, count: int) -> str:
    each = "no known price" if price is None else f"{price:g} an hour"
    return f"{count} GPU{'s' if count > 1 else ''} at {each}"


def _seconds(given: float | None) -> str:
    return "control's own drain time" if given is None else f"{given:g} s"
