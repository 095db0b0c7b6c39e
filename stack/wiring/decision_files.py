"""Where control keeps decisions besides its memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from stack.adapters.decision_files import MIB, PARQUET, DecisionFiles, Rotation
from stack.api.settings import ControlConfigError, ControlSettings


def decision_files(settings: ControlSettings) -> DecisionFiles | None:
    """The files that control was told to keep, None for none. Raises ControlConfigError."""
    if settings.decisions_dir is None:
        return None
    rotation = Rotation(total_bytes=settings.decisions_mib * MIB)
    pack = _packing() if settings.decisions_format == PARQUET else None
    return DecisionFiles(settings.decisions_dir, time.time, rotation, pack)


def _packing() -> Callable[[Path], None]:
    """pyarrow takes a tenth of a second and tens of megabytes: only who wants Parquet loads it."""
    try:
        pack: Callable[[Path], None] = import_module("stack.adapters.decision_parquet").pack
    except ModuleNotFoundError as error:
        raise ControlConfigError("Parquet needs pyarrow, which kvdeck[parquet] brings: install it, or use jsonl") from error
    return pack
