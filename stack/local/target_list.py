"""engines.json: the engines that serve or served, for router, exporter and Prometheus."""

from __future__ import annotations

from pathlib import Path

from stack.local.atomic_file import replace_file
from stack.model.target import Target, encode


class TargetList:
    """The file's one writer.

    An engine is listed from the first time it served until it is removed for good. Not earlier: a start-up is no
    outage and must not look like one. And not shorter: one that crashed or is held is a target that is down.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._targets: dict[str, Target] = {}

    def write(self) -> None:
        """Writes the file as it is known now; an empty list is a file too."""
        replace_file(self._path, encode(list(self._targets.values())))

    def put(self, target: Target) -> None:
        """Lists `target`."""
        if self._targets.get(target.replica) != target:
            self._targets[target.replica] = target
            self.write()

    def lists(self, replica: str) -> bool:
        """`replica` is listed now."""
        return replica in self._targets

    def drop(self, replica: str) -> None:
        """`replica` is gone for good."""
        if self._targets.pop(replica, None) is not None:
            self.write()

    def clear(self) -> None:
        """No engine is left."""
        self._targets.clear()
        self.write()
