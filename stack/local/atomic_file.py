"""Files that are replaced whole: a reader sees the old one or the new one, nothing between."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Puts `content` in place of `path`, whose folder is made when missing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    temporary.replace(path)
