"""A desired state, and how an audit log tells of changes to it."""

from __future__ import annotations

import msgspec

from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import diff
from stack.control.merge import merge
from stack.control.state import Desired, Dpd, ModelState, Pools, PoolState

POOLS = Pools(prefill=PoolState(replicas=1), decode=PoolState(replicas=2))
START = Desired(models={"m": ModelState(strategy="session", dpd=Dpd(routing_threshold=512), pools=POOLS)})


def patched(desired: Desired, patch: object) -> Desired:
    """`desired` with a merge patch of the model `m`."""
    return msgspec.convert(merge(msgspec.to_builtins(desired), {"models": {"m": patch}}), Desired)


def applied(generation: int, before: Desired, patch: object, comment: str = "") -> AuditRecord:
    """What the log says of a patch of `m` that led to `generation`."""
    return AuditRecord(
        at=1.0,
        actor="bench",
        outcome=Outcome.APPLIED,
        generation=generation,
        comment=comment,
        diff=diff(before, patched(before, patch)),
        effects=("It changes.",),
    )
