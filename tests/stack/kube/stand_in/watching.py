"""The lines of a watch."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from tests.stack.kube.stand_in.answers import Document, expired
from tests.stack.kube.stand_in.resources import Resource
from tests.stack.kube.stand_in.shelf import Happened, Shelf


class CutError(Exception):
    """The connection ends in the middle of an answer."""


@dataclass(frozen=True, slots=True)
class Watch:
    """An answer without an end: `chosen` are the objects that were asked for."""

    shelf: Shelf
    resource: Resource
    namespace: str
    chosen: Callable[[Document], bool]
    since: int
    bookmarks: bool
    seconds: float

    async def lines(self) -> AsyncIterator[bytes]:
        """Each event as a line; a bookmark before the end. Raises CutError."""
        shelf, seen, cuts = self.shelf, self.since, self.shelf.cuts
        if seen < shelf.oldest:
            yield _line("ERROR", expired(seen, shelf.oldest))
            return
        ends = time.monotonic() + self.seconds
        while True:
            for happened in [one for one in shelf.history if one.version > seen]:
                seen = happened.version
                if (line := self._event(happened)) is not None:
                    yield line
            if shelf.cuts != cuts:
                raise CutError
            try:
                await shelf.news(ends - time.monotonic())
            except TimeoutError:
                break
        if self.bookmarks:
            metadata = {"resourceVersion": str(seen), "creationTimestamp": None}
            kind = {"kind": self.resource.kind, "apiVersion": self.resource.api_version}
            yield _line("BOOKMARK", {**kind, "metadata": metadata, "spec": {"containers": None}, "status": {}})

    def _event(self, happened: Happened) -> bytes | None:
        group, plural, namespace, _ = happened.place
        if (group, plural) != (self.resource.group, self.resource.plural) or self.namespace not in ("", namespace):
            return None
        now = happened.type != "DELETED" and self.chosen(happened.document)
        before = happened.before is not None and self.chosen(happened.before)
        if not now and not before:
            return None
        kind = "DELETED" if not now else "MODIFIED" if before else "ADDED"
        return _line(kind, happened.document)


def _line(kind: str, document: Document) -> bytes:
    return json.dumps({"type": kind, "object": document}).encode() + b"\n"
