"""What `kvdeck up` hands to the supervisor it starts: everything that is decided before."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from stack.config import Layout
from stack.local.atomic_file import replace_file
from stack.local.install.plan import EngineKind, Installed
from stack.local.settings import StackConfig


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One start of the stack. `python` is the interpreter of kvdeck's own processes, `run` names this start."""

    layout: Layout
    python: Path
    config: StackConfig
    installed: Installed
    engines: EngineKind
    traffic: bool = True
    run: str = msgspec.field(default_factory=lambda: uuid4().hex)

    def write(self, path: Path) -> None:
        """Raises OSError."""
        replace_file(path, msgspec.json.format(msgspec.json.encode(self, enc_hook=str)), mode=0o600)


def read_launch(path: Path) -> Launch:
    """Raises OSError, msgspec.DecodeError."""
    return msgspec.json.decode(path.read_bytes(), type=Launch, dec_hook=_path)


def _path(kind: type, value: Any) -> Any:
    if kind is Path:
        return Path(value)
    raise NotImplementedError(kind)
