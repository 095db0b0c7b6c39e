"""The engines there are to read: listed by a file or by name, and what those who list them left out as the engines tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from stack.adapters.target_file import TargetFile
from stack.model.target import Target
from stack.model.tier import Pool


class Fleet:
    """The targets of a file, looked at anew when it changed, and `named` ones (URLs by name). A name counts once.

    Others' target files need not say a pool (decode) or a model: an engine tells its model itself.
    """

    def __init__(self, path: Path | None, named: Mapping[str, str]) -> None:
        self._file = TargetFile(path, foreign=True) if path else None
        self._named = [Target(replica=name, url=url, pool=Pool.DECODE, model="", model_root="") for name, url in named.items()]
        self._listed: dict[str, Target] = {target.replica: target for target in self._named}
        self._learnt: dict[str, tuple[str, str]] = {}
        self._known = dict(self._listed)

    def refresh(self) -> None:
        """Take in a changed file; a broken or missing one leaves the fleet as it was."""
        if self._file and (targets := self._file.changed()) is not None:
            self._listed = {target.replica: target for target in [*targets, *self._named]}
            self._learnt = {replica: learnt for replica, learnt in self._learnt.items() if replica in self._listed}
            self._known = {replica: self._completed(target) for replica, target in self._listed.items()}

    def learn(self, replica: str, model: str, root: str) -> None:
        """The engine itself said which model it serves; what the list says of it counts more."""
        self._learnt[replica] = model, root
        if replica in self._listed:
            self._known[replica] = self._completed(self._listed[replica])

    def now(self) -> Sequence[Target]:
        return list(self._known.values())

    def _completed(self, target: Target) -> Target:
        if target.model or target.replica not in self._learnt:
            return target
        model, root = self._learnt[target.replica]
        return replace(target, model=model, model_root=root)
