"""What a benchmark was measured on, and with what."""

from __future__ import annotations

import platform

import msgspec

from stack.bench.router.chats import Shape
from stack.bench.router.placement import Placement

_BACK_END = "canned back end: nginx with a fixed answer, no engine, no tokens computed"


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured on, and with what. `meaningless` says why the figures mean nothing, where they do.

    `workers_crowded`: several workers had no cores of their own, but shared those of load and back end.
    """

    back_end: str
    body_bytes: int
    connections: int
    seconds: float
    cores_router: list[int]
    cores_others: list[int]
    workers: int
    cores_workers: list[int]
    workers_crowded: bool
    processor: str
    versions: dict[str, str]
    meaningless: str | None = None

    @classmethod
    def of(cls, placement: Placement, connections: int, seconds: float, workers: int, tools: dict[str, str]) -> Setting:
        """This machine's; `tools` are the versions of load and back end."""
        return cls(
            back_end=_BACK_END,
            body_bytes=Shape().body_bytes,
            connections=connections,
            seconds=seconds,
            cores_router=list(placement.router),
            cores_others=list(placement.others),
            workers=workers,
            cores_workers=list(placement.workers),
            workers_crowded=placement.crowded,
            processor=platform.processor() or platform.machine(),
            versions={"python": platform.python_version(), **tools},
            meaningless="one core for router, load and back end" if placement.shared else None,
        )
