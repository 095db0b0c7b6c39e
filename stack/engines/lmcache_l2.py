"""Which L2 an LMCache really uses, by its own word, and whether that is the one it was meant to use.

A server (0.5.6) tells its adapters in `GET /config`, an engine's own LMCache its `remote_url` in `GET /conf` of its internal API.
Both tell passwords too: only kind, host and port leave here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlsplit

ANYWHERE = "*"
"""The host of an expected L2 that is each node's own, such as HyperPod's daemon: sagemaker-hyperpod://*:9200."""
_KINDS = {"redis": "redis", "rediss": "redis", "valkey": "redis", "valkeys": "redis", "resp": "redis"}
_PORTS = {"redis": 6379, "sagemaker-hyperpod": 9200}


class L2FormatError(ValueError):
    """An answer that does not tell an L2, or a URL that names none."""


class L2State(StrEnum):
    EQUAL = "equal"
    DIFFERENT = "different"
    ABSENT = "absent"  # it has no L2 at all
    UNKNOWN = "unknown"  # it did not say


@dataclass(frozen=True, slots=True)
class L2Address:
    """Where KV is kept: `redis` for all that speak its protocol, else the URL's scheme. No host for what has no address."""

    kind: str
    host: str = ""
    port: int | None = None

    def shown(self) -> str:
        """`redis at 10.0.0.1:6379`, for people."""
        port = "" if self.port is None else f":{self.port}"
        return f"{self.kind} at {self.host}{port}" if self.host else self.kind


def address(url: str) -> L2Address:
    """What a URL names; a database, a user, a password and TLS are left out. Raises L2FormatError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise L2FormatError("no URL") from error
    if not parts.scheme or not host:
        raise L2FormatError("no URL of a host")
    kind = _KINDS.get(parts.scheme, parts.scheme)
    return L2Address(kind, host, port or _PORTS.get(kind))


def of_server(config: object) -> tuple[L2Address, ...]:
    """The L2s of a server's /config, none when it has no adapter. Raises L2FormatError."""
    storage = config.get("storage_manager") if isinstance(config, Mapping) else None
    adapters = storage.get("l2_adapter_config") if isinstance(storage, Mapping) else None
    listed = adapters.get("adapters") if isinstance(adapters, Mapping) else None
    if not isinstance(listed, Sequence):
        raise L2FormatError("it does not list its adapters")
    return tuple(found for adapter in listed for found in _adapter(adapter))


def of_engine(conf: object) -> tuple[L2Address, ...]:
    """The L2 of /conf of an engine's own LMCache, none when it has no remote URL. Raises L2FormatError."""
    if not isinstance(conf, Mapping) or "remote_url" not in conf:
        raise L2FormatError("it does not tell its remote_url")
    url = conf["remote_url"]
    found = () if not url else (address(str(url)),)
    return found + tuple(L2Address("plugin") for _ in conf.get("remote_storage_plugins") or ())


def state(effective: Sequence[L2Address], expected: L2Address) -> L2State:
    """How what is used stands to what was meant. One of several L2s is enough."""
    if not effective:
        return L2State.ABSENT
    return L2State.EQUAL if any(_meets(one, expected) for one in effective) else L2State.DIFFERENT


def _meets(one: L2Address, expected: L2Address) -> bool:
    """Whether it is the one expected, on any host where that is `*`."""
    return one == (replace(expected, host=one.host) if expected.host == ANYWHERE else expected)


def _adapter(adapter: object) -> Iterator[L2Address]:
    """A URL (HyperPod's daemon), a host and a port (Redis), or the nodes one starts at (Valkey); files have neither."""
    if not isinstance(adapter, Mapping):
        raise L2FormatError("an adapter that is none")
    if isinstance(url := adapter.get("url"), str) and url:
        yield address(url)
    elif isinstance(nodes := adapter.get("startup_nodes"), Sequence) and not isinstance(nodes, str):
        for node in nodes:
            yield _node(*node) if isinstance(node, Sequence) and len(node) == 2 else L2Address("redis")
    elif "host" in adapter and "port" in adapter:
        yield _node(adapter["host"], adapter["port"])
    else:
        yield L2Address("other")


def _node(host: object, port: object) -> L2Address:
    return L2Address("redis", str(host).lower(), port if isinstance(port, int) else None)
