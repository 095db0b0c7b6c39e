"""What control begins with: what it kept, what a configuration says, or what the file says that it follows."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

from stack.adapters.audit_store import SqliteStore
from stack.api.desired_file import DesiredFileError, read_control, read_desired
from stack.api.settings import ControlConfigError, ControlSettings
from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import diff
from stack.control.mode import ControlSection, Mode
from stack.control.opening import Opening, opening
from stack.control.ports import Kept
from stack.control.state import Desired
from stack.strategies import base as strategies

log = logging.getLogger(__name__)


def moded(settings: ControlSettings) -> ControlSettings:
    """With the mode that the configuration says, where the command line says none. Raises ControlConfigError, DesiredFileError."""
    section = ControlSection() if settings.mode is not None or settings.config is None else read_control(settings.config)
    told = replace(settings, mode=settings.mode or section.mode or Mode.LIVE)
    if told.mode is Mode.DECLARATIVE and told.followed is None:
        raise ControlConfigError("declarative mode follows a file: name it with --desired")
    if told.mode is not Mode.DECLARATIVE and told.desired is not None:
        raise ControlConfigError("--desired is for declarative mode; what a first start begins with is --config")
    return told


async def begun(settings: ControlSettings, store: SqliteStore) -> Opening:
    """The desired state to begin with, kept, and noted in the audit log.

    Raises DesiredFileError, NoDesiredStateError, RefusedError, StoreError.
    """
    kept = await store.load()
    configured = _configured(settings, kept)
    new_run = settings.run is not None and not await store.knows(settings.run)
    begin = opening(kept, configured, strategies.names(), new_run=new_run)
    record = AuditRecord(
        at=time.time(),
        actor="control",
        outcome=Outcome.STARTED,
        generation=begin.kept.generation,
        comment=begin.reason,
        diff=() if kept is None else diff(kept.desired, begin.kept.desired),
    )
    log.info("desired state", extra={"generation": begin.kept.generation, "reason": begin.reason})
    await (store.keep(begin.kept, record) if begin.new else store.note(record))
    if settings.run is not None:
        await store.begin(settings.run)
    return begin


def _configured(settings: ControlSettings, kept: Kept | None) -> Desired | None:
    file = settings.followed or settings.config
    if file is None:
        return None
    try:
        return read_desired(file)
    except DesiredFileError:
        if settings.followed is None or kept is None:
            raise
        return None  # the last good one is in force; whoever follows the file says what is wrong with it
