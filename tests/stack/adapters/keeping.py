"""A process that keeps one generation after the other until it is killed, and tells each that it was answered for."""

import asyncio
import sys
from pathlib import Path

from stack.adapters.audit_store import SqliteStore
from stack.control.audit import AuditRecord, Outcome
from stack.control.ports import Kept
from stack.control.state import Desired, Dpd, ModelState


def state(generation: int) -> Desired:
    """A document of its own for each."""
    return Desired(models={"m": ModelState(dpd=Dpd(enabled=False, routing_threshold=generation))})


def record(generation: int) -> AuditRecord:
    """As long as a real one."""
    return AuditRecord(at=1.0, actor="ops", outcome=Outcome.APPLIED, generation=generation, comment="x" * 500)


async def keep_on(folder: Path) -> None:
    store = SqliteStore(folder)
    kept = await store.load()
    generation = 0 if kept is None else kept.generation
    while True:
        generation += 1
        await store.keep(Kept(generation, state(generation)), record(generation))
        sys.stdout.write(f"{generation}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(keep_on(Path(sys.argv[1])))
