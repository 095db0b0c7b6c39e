"""Engines listed in files: several, or patterns of them."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from stack.adapters.target_file import TargetFile
from stack.model.target import Target


class TargetFiles:
    """The targets of the files that match `patterns` now, looked at anew when one changed.

    A file named as it is may be missing for a while and changes nothing then; one that was found by a pattern takes its
    targets with it when it goes.
    """

    mechanism = "file"

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._files: dict[Path, TargetFile] = {}
        self._listed: dict[Path, list[Target]] = {}

    @property
    def healthy(self) -> bool:
        """Every file is there and well-formed."""
        return all(file.readable for file in self._files.values())

    def changed(self) -> list[Target] | None:
        """Every target when a file came, changed or went; else None."""
        there = dict.fromkeys(self._paths())
        gone = self._listed.keys() - there.keys()
        self._files = {path: self._files.get(path) or TargetFile(path, foreign=True) for path in there}
        fresh = {path: targets for path, file in self._files.items() if (targets := file.changed()) is not None}
        if not gone and not fresh:
            return None
        known = self._listed | fresh
        self._listed = {path: known[path] for path in there if path in known}
        return [target for targets in self._listed.values() for target in targets]

    def _paths(self) -> Iterator[Path]:
        for pattern in self._patterns:
            found = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
            yield from map(Path, found)
