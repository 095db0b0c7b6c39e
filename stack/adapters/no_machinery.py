"""Pools whose engines are run by nobody that control knows: somebody starts and stops them, and lists them."""

from __future__ import annotations

from stack.control.machinery import NOBODY, Machinery
from stack.control.ports import ScalerError
from stack.model.tier import Pool


class NoMachinery:
    """`stack.control.ports.PoolScaler` without anything that could be asked to start or end an engine."""

    async def look(self) -> Machinery:
        return Machinery(scales=False)

    async def grow(self, model: str, pool: Pool, by: int) -> tuple[str, ...]:
        raise ScalerError(NOBODY)

    async def remove(self, name: str) -> None:
        raise ScalerError(NOBODY)
