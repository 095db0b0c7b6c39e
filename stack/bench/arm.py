"""What a comparison on a running stack goes through: one arm a fleet's shape, workload and strategy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from stack.control.state import ModelState
from stack.traffic.report import Summary

BASE = "round_robin"
"""The strategy that others are set against: it knows nothing of caches."""
_SHAPE = re.compile(r"(?P<prefill>\d{1,2})\+(?P<decode>\d{1,2})")


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """How many engines each pool has."""

    prefill: int
    decode: int

    @classmethod
    def parse(cls, text: str) -> Shape:
        """`1+2` is one prefill and two decode engines. Raises ValueError."""
        match = _SHAPE.fullmatch(text.strip())
        if match is None or match["decode"] == "0":
            raise ValueError(f"a shape is PREFILL+DECODE, such as 0+2 or 1+2, and decodes: not {text!r}")
        return cls(int(match["prefill"]), int(match["decode"]))

    def __str__(self) -> str:
        return f"{self.prefill}+{self.decode}"


@dataclass(frozen=True, slots=True)
class Arm:
    """One part of a comparison."""

    shape: Shape
    scenario: str
    strategy: str

    def __str__(self) -> str:
        return f"{self.shape} {self.scenario} {self.strategy}"

    def patch(self, model: ModelState, threshold: int) -> dict[str, object]:
        """The merge patch of one model that sets the arm; disaggregation is on where there is a prefill engine."""
        pools = {
            "prefill": {"replicas": self.shape.prefill, "strategy": None},
            "decode": {"replicas": self.shape.decode, "strategy": None},
        }
        dpd = {
            "enabled": self.shape.prefill > 0,
            "routing_threshold": threshold if self.shape.prefill else model.dpd.routing_threshold,
        }
        return {"strategy": self.strategy, "pools": pools, "dpd": dpd}


def arms(shapes: Sequence[Shape], scenarios: Sequence[str], strategies: Sequence[str]) -> Iterator[Arm]:
    """All of them; the slowest thing to change, the fleet's shape, changes least."""
    for shape in shapes:
        for scenario in scenarios:
            for strategy in strategies:
                yield Arm(shape, scenario, strategy)


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What the client saw on one arm. `shape` is prefill+decode."""

    shape: str
    scenario: str
    strategy: str
    summary: Summary
