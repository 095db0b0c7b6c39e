"""The LMCache servers there are to read: those that are named, and those that run as pods now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from exporters.fleet import Source, distinct
from stack.model.target import Target


class Servers(Mapping[str, str]):
    """URLs by name, as of the last `refresh`. Who named one knows better than the list."""

    def __init__(self, named: Mapping[str, str], listed: Source | None) -> None:
        self._named = named
        self._listed = listed
        self._urls = dict(named)
        self._pods: Sequence[Target] = ()

    def refresh(self) -> None:
        """Take in what came and went."""
        if self._listed is not None and (found := self._listed.changed()) is not None:
            self._pods = [server for server in distinct(found) if server.replica not in self._named]
            self._urls = {server.replica: server.url for server in self._pods} | dict(self._named)

    def pods(self) -> Sequence[Target]:
        """Those that run as pods, and that nobody named."""
        return self._pods

    def __getitem__(self, name: str) -> str:
        return self._urls[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def __len__(self) -> int:
        return len(self._urls)
