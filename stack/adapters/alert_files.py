"""Runbooks as they are shipped: in a checkout beside the package, in an installed one within it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import stack

_PACKAGE = Path(stack.__file__).parent
_FOLDERS = (_PACKAGE.parent / "alerts" / "runbooks", _PACKAGE / "deploy" / "alerts" / "runbooks")


def runbooks() -> Mapping[str, str]:
    """Every page by the name of its alert; none where they were not shipped along."""
    folder = next(filter(Path.is_dir, _FOLDERS), None)
    return {} if folder is None else {page.stem: page.read_text(encoding="utf-8") for page in sorted(folder.glob("*.md"))}
