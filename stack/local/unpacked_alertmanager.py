"""Debian's Alertmanager, unpacked instead of installed: it has one absolute path for its templates built in."""

from __future__ import annotations

import shutil
from pathlib import Path

from stack.config import Layout

_BUILT_IN = b"/usr/share/prometheus/alertmanager"
_PROGRAM = "alertmanager"
_TEMPLATES = ("default.tmpl", "email.tmpl")


def runnable(program: Path, layout: Layout) -> Path:
    """`program` itself, or a copy that finds its templates, where it was unpacked and the built-in path has none.

    No option or variable reaches that path. The copy has another one of the same length in its place, relative to
    the checkout, where every component is started. Raises OSError.
    """
    if not program.is_relative_to(layout.binaries) or (Path(_BUILT_IN.decode()) / _TEMPLATES[0]).exists():
        return program
    folder = layout.state / _PROGRAM
    templates = folder / "templates"
    templates.mkdir(parents=True, exist_ok=True)
    for template in _TEMPLATES:
        shutil.copyfile(program.parents[1] / "share/prometheus/alertmanager" / template, templates / template)
    copy = folder / _PROGRAM
    if not copy.exists() or copy.stat().st_mtime < program.stat().st_mtime:
        _write(copy, relocated(program.read_bytes(), str(templates.relative_to(layout.home))))
    return copy


def relocated(content: bytes, folder: str) -> bytes:
    """`content` with `folder` in place of the built-in one, filled up with slashes, which mean nothing in a path."""
    path = folder.encode()
    if len(path) > len(_BUILT_IN):
        raise ValueError(f"{folder} is longer than the path it replaces")
    return content.replace(_BUILT_IN, path.ljust(len(_BUILT_IN), b"/"))


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_suffix(".new")
    temporary.write_bytes(content)
    temporary.chmod(0o755)
    temporary.replace(path)
