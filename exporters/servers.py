"""The LMCache servers there are to read: those that are named, and those that run as pods now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exporters.fleet import Source, distinct


class Servers(Mapping[str, str]):
    """URLs by name, as of the last `refresh`. Who named one knows better than the list."""

    def __init__(self, named: Mapping[str, str], listed: Source | None) -> None:
        self._named = named
        self._listed = listed
        self._urls = dict(named)

    def refresh(self) -> None:
        """Take in what came and went."""
        if self._listed is not None and (found := self._listed.changed()) is not None:
            self._urls = {server.replica: server.url for server in distinct(found)} | dict(self._named)

    def __getitem__(self, name: str) -> str:
        return self._urls[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._urls)

    def __len__(self) -> int:
        return len(self._urls)
