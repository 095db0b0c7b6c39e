"""Names and ports for engines: the lowest that are free, so that a pool that shrinks and grows keeps its names."""

from __future__ import annotations

from dataclasses import dataclass, field

from stack.model.tier import Pool

# NIXL's handshakes need a port of their own; above every engine port (two pools of at most 64) and below other defaults.
SIDE_CHANNEL_OFFSET = 200


@dataclass(frozen=True, slots=True)
class Seat:
    """A place for one engine: `decode-1` is number 1 of its pool."""

    pool: Pool
    index: int
    port: int

    @property
    def name(self) -> str:
        return f"{self.pool}-{self.index}"

    @property
    def side_channel_port(self) -> int:
        return self.port + SIDE_CHANNEL_OFFSET

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass(slots=True)
class Seats:
    """Who sits where. Ports count up from `first_port` over both pools together."""

    first_port: int
    _taken: dict[str, Seat] = field(default_factory=dict)

    def take(self, pool: Pool) -> Seat:
        """The next seat of `pool`."""
        indices = {seat.index for seat in self._taken.values() if seat.pool is pool}
        ports = {seat.port for seat in self._taken.values()}
        seat = Seat(pool, _lowest(indices, 0), _lowest(ports, self.first_port))
        self._taken[seat.name] = seat
        return seat

    def leave(self, name: str) -> None:
        """The engine `name` is gone for good."""
        self._taken.pop(name, None)


def _lowest(taken: set[int], first: int) -> int:
    return next(number for number in range(first, first + len(taken) + 1) if number not in taken)
