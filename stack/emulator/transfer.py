"""The prefill -> decode handshake: what `kv_transfer_params` ask for, the leases behind them, and who can reach whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import msgspec


class EngineKilledError(RuntimeError):
    """The parameters would have killed a real engine; so they do here."""


@dataclass(frozen=True, slots=True)
class Produce:
    """Compute the prompt and keep its KV for a decode engine."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """Incomplete parameters: the real engine waits for KV that nobody sends, until the client goes."""


class Pull(msgspec.Struct, frozen=True):
    """Fetch a prompt's KV from the engine that computed it."""

    remote_engine_id: str
    remote_request_id: str
    remote_host: str
    remote_port: int
    remote_block_ids: list[list[int]]
    remote_prefill_cached_tokens: int | None = None


Intent = Produce | Pull | Stuck | None

_NEEDED = ("remote_engine_id", "remote_request_id", "remote_host", "remote_port")


def read(params: Mapping[str, object] | None) -> Intent:
    """What a request asks of the connector. Raises EngineKilledError where a real engine's assertion fails."""
    if not params:
        return None
    if params.get("do_remote_decode"):
        return Produce()
    if not params.get("do_remote_prefill"):
        return None
    if not params.get("remote_block_ids"):
        raise EngineKilledError("do_remote_prefill without remote_block_ids")
    if not all(key in params for key in _NEEDED):
        return Stuck()
    try:
        return msgspec.convert(params, Pull)
    except msgspec.ValidationError as error:
        raise EngineKilledError(f"kv_transfer_params: {error}") from error


class Claim(StrEnum):
    """What a decode engine finds at the other end."""

    HELD = "held"
    GONE = "gone"  # the lease ended or was used: the memory holds something else by now
    UNREACHABLE = "unreachable"


@dataclass(slots=True)
class Lease:
    """Blocks kept for one decode engine. `expires_at` is None once it was claimed: heartbeats keep it alive."""

    request_id: str
    blocks: list[int]
    expires_at: float | None


class Holder(Protocol):
    """A prefill engine's leases as its peers see them."""

    def claim(self, request_id: str) -> Claim: ...

    def give_up(self, request_id: str) -> None: ...


class Fabric:
    """The engines that can reach each other, by engine id and address."""

    def __init__(self) -> None:
        self._holders: dict[str, tuple[tuple[str, int], Holder]] = {}

    def join(self, engine_id: str, address: tuple[str, int], holder: Holder) -> None:
        self._holders[engine_id] = address, holder

    def leave(self, engine_id: str) -> None:
        self._holders.pop(engine_id, None)

    def claim(self, pull: Pull) -> Claim:
        """Tell the holder that its blocks will be read."""
        holder = self._find(pull)
        return Claim.UNREACHABLE if holder is None else holder.claim(pull.remote_request_id)

    def reachable(self, pull: Pull) -> bool:
        return self._find(pull) is not None

    def give_up(self, pull: Pull) -> None:
        """The blocks were read, or never will be: the holder may reuse them."""
        holder = self._find(pull)
        if holder is not None:
            holder.give_up(pull.remote_request_id)

    def _find(self, pull: Pull) -> Holder | None:
        address, holder = self._holders.get(pull.remote_engine_id, (None, None))
        return holder if address == (pull.remote_host, pull.remote_port) else None
