"""RDMA devices of this node (EFA, InfiniBand, RoCE), by the counters that the kernel shows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from exporters.collector import Context, Point, Seen, collectors
from exporters.fabric_counters import HARDWARE, RATE, STANDARD, STATE, link, points
from stack.engines.quantities import State
from stack.metrics import catalog

TARGET = "node"
MOST_PORTS = 64  # an instance with the most has 32 EFA devices of one port
MOST_BYTES = 64  # of a file that holds one number


@collectors.register("fabric")
class Fabric:
    """Reads this node's RDMA devices below /sys/class/infiniband; off by default, it runs where the engines run.

    A node on which there are no such devices has zero ports; one whose /sys cannot be read fails.
    """

    stage = 0
    opt_in = True
    on_this_node = True

    def __init__(self, context: Context) -> None:
        self._root = context.node.infiniband

    def targets(self) -> Sequence[str]:
        return () if self._root is None else (TARGET,)

    async def read(self, target: str) -> Seen:
        # In a thread: EFA's driver asks the device for each file.
        ports = [] if self._root is None else await asyncio.to_thread(_ports, self._root)
        told = [point for port in ports for point in port]
        state = State.PRESENT if told else State.ABSENT if ports else State.NOT_APPLICABLE
        return Seen([Point(catalog.FABRIC_PORTS, {}, float(len(ports))), *told], {"fabric_counters": state})

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        """Nothing is remembered of a target."""

    async def close(self) -> None:
        """Nothing of its own is open."""


def _ports(root: Path) -> list[list[Point]]:
    """The points of each port. Raises OSError where devices cannot even be looked for."""
    if not root.exists():
        next(root.parent.iterdir(), None)  # raises where there is no sysfs at all
        return []
    found = sorted(port for device in root.iterdir() for port in _folders(device / "ports"))
    return [list(_port(port)) for port in found[:MOST_PORTS]]


def _port(port: Path) -> Iterator[Point]:
    hardware, standard = (
        dict(_words(port / name, (counter.file for counter in counters)))
        for name, counters in (("hw_counters", HARDWARE), ("counters", STANDARD))
    )
    device = port.parent.parent.name
    yield from link(device, port.name, dict(_words(port, (RATE, STATE))))
    yield from points(device, port.name, hardware, standard)


def _words(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files that are read, those of them that the device has and lets read."""
    for name in names:
        try:
            with (folder / name).open(encoding="ascii", errors="replace") as file:
                yield name, file.read(MOST_BYTES)
        except OSError:  # it does not tell that, or not now: the series is absent
            continue


def _folders(parent: Path) -> Sequence[Path]:
    try:
        return list(parent.iterdir())
    except OSError:  # a device without ports, or one just gone
        return ()
