"""The engines there are to read: those that lists and names tell of, and what they left out as the engines tell it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from exporters.collector import Point
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.target import Target
from stack.model.tier import Pool


class Source(Protocol):
    """Who knows of engines, and by which mechanism."""

    @property
    def mechanism(self) -> str: ...

    @property
    def healthy(self) -> bool:
        """What it says is as of now."""
        ...

    def changed(self) -> list[Target] | None:
        """All its engines when that changed since the last time, else None."""
        ...


class Fleet:
    """The targets of all `sources`, looked at anew when one changed, and `named` ones (URLs by name).

    Others' lists need not say a pool (decode) or a model: an engine tells its model itself. One whose name is also that of one
    of the LMCache `servers` is a pod that has both.
    """

    def __init__(self, sources: Sequence[Source], named: Mapping[str, str], servers: Collection[str] = ()) -> None:
        self._sources = sources
        self._servers = servers
        self._named = [Target(replica=name, url=url, pool=Pool.DECODE, model="", model_root="") for name, url in named.items()]
        self._told: dict[int, list[Target]] = {}
        self._listed: dict[str, Target] = {}
        self._learnt: dict[str, tuple[str, str]] = {}
        self._known: dict[str, Target] = {}
        self._take_in()

    def refresh(self) -> None:
        """Take in what changed; a list that is broken or missing leaves the fleet as it was."""
        fresh = {number: found for number, source in enumerate(self._sources) if (found := source.changed()) is not None}
        if fresh or self._beside != frozenset(self._servers):
            self._told |= fresh
            self._take_in()

    def learn(self, replica: str, model: str, root: str) -> None:
        """The engine itself said which model it serves; what the list says of it counts more."""
        self._learnt[replica] = model, root
        if replica in self._listed:
            self._known[replica] = self._completed(self._listed[replica])

    def now(self) -> Sequence[Target]:
        return list(self._known.values())

    def _take_in(self) -> None:
        self._beside = frozenset(self._servers)
        told = [target for number in sorted(self._told) for target in self._told[number]]
        self._listed = {target.replica: target for target in distinct([*told, *self._named])}
        self._learnt = {replica: learnt for replica, learnt in self._learnt.items() if replica in self._listed}
        self._known = {replica: self._completed(target) for replica, target in self._listed.items()}

    def _completed(self, target: Target) -> Target:
        if target.cache_server is None and target.replica in self._beside:
            target = replace(target, cache_server=target.replica)
        if target.model or target.replica not in self._learnt:
            return target
        model, root = self._learnt[target.replica]
        return replace(target, model=model, model_root=root)


def health(sources: Iterable[Source]) -> Iterator[Point]:
    """Whether the lists of each mechanism can be read."""
    healthy: dict[str, bool] = {}
    for source in sources:
        healthy[source.mechanism] = source.healthy and healthy.get(source.mechanism, True)
    for mechanism, all_are in healthy.items():
        yield Point(catalog.EXPORTER_DISCOVERY_SUCCESS, {Label.MECHANISM: mechanism}, float(all_are))


def distinct(targets: Iterable[Target]) -> Iterator[Target]:
    """Each address once (the last that tells of it counts), and each under a name of its own.

    Engines that share a name (a pod of two ports) have their port added, or their address where that does not tell them apart.
    """
    by_url = {target.url + target.metrics_path: target for target in targets}
    named: defaultdict[str, list[Target]] = defaultdict(list)
    for target in by_url.values():
        named[target.replica].append(target)
    for name, same in named.items():
        addresses = [target.url.partition("://")[2] for target in same]
        ports = [address.rpartition(":")[2] for address in addresses]
        added = ports if len(set(ports)) == len(ports) else addresses
        for target, more in zip(same, added, strict=True):
            yield target if len(same) == 1 else replace(target, replica=f"{name}:{more}")
