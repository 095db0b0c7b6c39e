"""What the stand-in keeps: objects, the version they stand at, and everything that happened."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import dataclass

from tests.stack.kube.stand_in.answers import Document
from tests.stack.kube.stand_in.resources import Resource

Place = tuple[str, str, str, str]  # group, plural, namespace, name


@dataclass(frozen=True, slots=True)
class Happened:
    """One line of a watch to be: `before` is what stood there, so that selectors can tell who left."""

    version: int
    type: str
    place: Place
    document: Document
    before: Document | None


class Shelf:
    """Objects by place. `first_version` is the version of the empty shelf."""

    def __init__(self, first_version: int = 100) -> None:
        self.version = first_version
        self.oldest = 0  # a watch from before this is told that it is too late
        self.objects: dict[Place, Document] = {}
        self.history: list[Happened] = []
        self.cuts = 0
        self._news = asyncio.Event()

    def put(self, place: Place, document: Document) -> Document:
        """Keep an object under the next version."""
        self.version += 1
        before = self.objects.get(place)
        document["metadata"]["resourceVersion"] = str(self.version)
        self.objects[place] = document
        self._tell("MODIFIED" if before else "ADDED", place, document, before)
        return document

    def drop(self, place: Place) -> None:
        """Forget an object."""
        self.version += 1
        gone = copy.deepcopy(self.objects.pop(place))
        gone["metadata"]["resourceVersion"] = str(self.version)
        self._tell("DELETED", place, gone, gone)

    def found(self, resource: Resource, namespace: str) -> list[Document]:
        """The objects of a resource, in one namespace or in all ("")."""
        return [
            copy.deepcopy(document)
            for (group, plural, where, _), document in sorted(self.objects.items())
            if (group, plural) == (resource.group, resource.plural) and namespace in ("", where)
        ]

    def cut(self) -> None:
        """End every connection of a watch without a word."""
        self.cuts += 1
        self.wake()

    def wake(self) -> None:
        """Let every watch look again."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float) -> None:
        """Until something happens, `seconds` at most. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            await self._news.wait()

    def _tell(self, kind: str, place: Place, document: Document, before: Document | None) -> None:
        self.history.append(Happened(self.version, kind, place, copy.deepcopy(document), copy.deepcopy(before)))
        self.wake()
