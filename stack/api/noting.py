"""Records for the audit log of what changes no state: worth keeping, and not worth failing for."""

from __future__ import annotations

import logging

from stack.control.audit import AuditRecord
from stack.control.ports import Store, StoreError

log = logging.getLogger(__name__)


async def note(store: Store, record: AuditRecord) -> None:
    """Add `record`; where the store cannot, the process's log says so."""
    try:
        await store.note(record)
    except StoreError as failure:
        fields = {"outcome": record.outcome, "field": record.field, "error": str(failure)}
        log.error("not noted in the audit log", extra=fields)
