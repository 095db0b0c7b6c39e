"""vLLM's KV cache events: the msgpack payload of its ZMQ publisher, decoded into our own words.

vLLM writes `[timestamp, [event, ...], data-parallel rank]`. Since the events became maps (`{"type": "BlockStored", ...}`)
fields come and go by name; before that each was an array with the type first. Both are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from stack.model.kv_event import BlockName, Cleared, KvBatch, KvEvent, Removed, Stored
from stack.model.tier import Tier

# A medium that is absent is the engine's own cache: older versions knew no other. The CPU engine says GPU as well.
_TIERS = {None: Tier.ENGINE, "GPU": Tier.ENGINE, "CPU": Tier.L1, "STORAGE": Tier.L2, "DISK": Tier.L2}

_Token = Annotated[int, msgspec.Meta(ge=0, le=0xFFFF_FFFF)]


class KvEventFormatError(ValueError):
    """A payload is no batch of KV events as vLLM writes them; the message names the fault, never any token."""


# An engine names blocks by 64 bits of their hash, or by all of it. 60 tell its blocks apart as well, in 32 bytes of Python each.
_NAME_BITS = (1 << 60) - 1

_Hash = int | bytes


class _Stored(msgspec.Struct, tag="BlockStored", gc=False):
    block_hashes: list[_Hash]
    parent_block_hash: _Hash | None
    token_ids: list[_Token]
    block_size: int
    lora_id: int | None = None
    medium: str | None = None
    lora_name: str | None = None
    extra_keys: list[Any] | None = None
    group_idx: int | None = None
    kv_cache_spec_kind: str | None = None


class _Removed(msgspec.Struct, tag="BlockRemoved", gc=False):
    block_hashes: list[_Hash]
    medium: str | None = None
    group_idx: int | None = None


class _Cleared(msgspec.Struct, tag="AllBlocksCleared", gc=False):
    pass


class _StoredRow(_Stored, array_like=True, tag="BlockStored", gc=False):
    pass


class _RemovedRow(_Removed, array_like=True, tag="BlockRemoved", gc=False):
    pass


class _ClearedRow(_Cleared, array_like=True, tag="AllBlocksCleared", gc=False):
    pass


class _Batch(msgspec.Struct, array_like=True, gc=False):
    ts: float
    events: list[_Stored | _Removed | _Cleared]


class _RowBatch(msgspec.Struct, array_like=True, gc=False):
    ts: float
    events: list[_StoredRow | _RemovedRow | _ClearedRow]


_MAPS = msgspec.msgpack.Decoder(_Batch)
_ROWS = msgspec.msgpack.Decoder(_RowBatch)
_EXTRA = msgspec.msgpack.Encoder()

_FULL_ATTENTION = {"full_attention", "mla_attention", "sink_full_attention"}


class Reader:
    """Reads one engine's payloads. A hybrid model tells of each group of its layers: only the first of full attention counts.

    The other groups hold the same prompts again, of sliding windows their ends. Which group is which the stores say, and
    events that do not are about a group that was told of. Without any kind, as older versions have it, the first group counts.
    """

    def __init__(self) -> None:
        self._group: int | None = None

    def read(self, payload: bytes) -> KvBatch:
        """The batch in one payload. Raises KvEventFormatError."""
        batch = _parse(payload)
        return KvBatch(batch.ts, tuple(event for raw in batch.events if (event := self._event(raw)) is not None))

    def _event(self, raw: _Stored | _Removed | _Cleared) -> KvEvent | None:
        if isinstance(raw, _Cleared):
            return Cleared()
        tier = _TIERS.get(raw.medium)
        if tier is None or not self._counts(raw):
            return None
        if isinstance(raw, _Removed):
            return Removed(_names(raw.block_hashes), tier)
        return Stored(
            blocks=_names(raw.block_hashes),
            parent=None if raw.parent_block_hash is None else _names([raw.parent_block_hash])[0],
            tokens=raw.token_ids,
            block_tokens=raw.block_size,
            tier=tier,
            extras=_extras(raw),
        )

    def _counts(self, raw: _Stored | _Removed) -> bool:
        group = raw.group_idx or 0
        kind = raw.kv_cache_spec_kind if isinstance(raw, _Stored) else None
        if kind is not None:
            if kind not in _FULL_ATTENTION:
                return False
            self._group = group if self._group is None else min(group, self._group)
        return group == (self._group or 0)


def extra_key(*, lora: str | None = None, cache_salt: str | None = None) -> bytes | None:
    """The `extra` of a text prompt's first block, by which it and all that follow are an adapter's or a tenant's own."""
    return _extra(lora, [cache_salt] if cache_salt else [])


def rank_endpoint(endpoint: str, rank: int) -> str:
    """Where a data-parallel rank publishes when rank 0 does at `endpoint`: vLLM adds the rank to a TCP port.

    Raises ValueError for any other endpoint that has several ranks: vLLM refuses those itself.
    """
    if rank == 0:
        return endpoint
    base, _, port = endpoint.rpartition(":")
    if not endpoint.startswith("tcp://") or not port.isdecimal():
        raise ValueError(f"no endpoint for rank {rank} beside {endpoint}: only TCP ports are counted on")
    return f"{base}:{int(port) + rank}"


def _parse(payload: bytes) -> _Batch | _RowBatch:
    try:
        return _MAPS.decode(payload)
    except msgspec.ValidationError:
        pass  # the older encoding, or neither: the next decoder tells
    except msgspec.DecodeError as error:
        raise KvEventFormatError(f"KV events: {error}") from error
    try:
        return _ROWS.decode(payload)
    except msgspec.ValidationError as error:
        raise KvEventFormatError(f"KV events: {error}") from error


def _names(hashes: list[_Hash]) -> list[BlockName]:
    return [(name if isinstance(name, int) else int.from_bytes(name, "big")) & _NAME_BITS for name in hashes]


def _extras(raw: _Stored) -> Sequence[bytes | None]:
    """vLLM has an adapter's name among the keys of each of its blocks, or only beside them; here it stands in the first one's.

    There it is told apart from a salt of the same letters. Hashes are chained, so all that follow on it are the adapter's
    alone as well. Older versions tell an adapter's number in place of its name, by which nobody can ask.
    """
    adapter = raw.lora_id if raw.lora_name is None else raw.lora_name
    if adapter is None:
        return () if raw.extra_keys is None else [_extra(None, keys) for keys in raw.extra_keys]
    own = [_without(adapter, keys) for keys in raw.extra_keys or [None] * len(raw.block_hashes)]
    first = raw.parent_block_hash is None
    return [_extra(adapter if first and number == 0 else None, keys) for number, keys in enumerate(own)]


def _without(adapter: int | str, keys: Any) -> Any:
    return keys[1:] if keys and keys[0] == adapter else keys


def _extra(adapter: int | str | None, keys: Any) -> bytes | None:
    if adapter is not None:
        return _EXTRA.encode([adapter, keys or []])
    return _EXTRA.encode(keys) if keys else None
