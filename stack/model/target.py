"""One engine as the fleet's target file lists it (Prometheus' file_sd format)."""

from __future__ import annotations

import msgspec
import yaml

from stack.model.tier import Pool

# Prometheus drops labels that begin like this: an engine's series stay the same.
_LEAVING, _UNREADY = "__leaving", "__unready"
# Labels by which Prometheus itself goes.
_SCHEME, _METRICS_PATH = "__scheme__", "__metrics_path__"
METRICS_PATH = "/metrics"
RANKS_MAX = 1024  # beyond what any deployment has, so a mistyped number opens no sockets without end


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """An engine that exists: the supervisor (or a discovery) says so, nothing else does.

    `url` is `http://host:port`, or https; its metrics are at `metrics_path` of it. `kv_events` and `replay` are ZMQ endpoints to
    connect to, None when the engine publishes none; each of its `kv_event_ranks` data-parallel ranks publishes at an endpoint of
    its own, the first at these. An engine that connects to the router instead is known by its `kv_topic`. `model_root` is the
    path or repository the engine loaded. `cache_server` is the id by which the LMCache server whose L1 the engine reaches
    reports, None when there is none.
    `namespace` and `cluster` say where it runs, None where nobody said.
    `leaving`: it is about to be stopped and must get no new requests. Not `ready`: what runs it has taken it out of service for
    now, whatever it answers itself.
    """

    replica: str
    url: str
    pool: Pool
    model: str
    model_root: str
    kv_events: str | None = None
    kv_topic: str | None = None
    replay: str | None = None
    cache_server: str | None = None
    kv_event_ranks: int = 1
    emulated: bool = False
    leaving: bool = False
    ready: bool = True
    metrics_path: str = METRICS_PATH
    namespace: str | None = None
    cluster: str | None = None

    @property
    def publishes(self) -> bool:
        """Whether it tells of its cache at all."""
        return self.kv_events is not None or self.kv_topic is not None


class _Group(msgspec.Struct):
    targets: list[str]
    labels: dict[str, str] = {}


class TargetFileError(ValueError):
    """The target file is not what it should be; the message names the group and the fault."""


def encode(targets: list[Target]) -> bytes:
    """The file_sd document of `targets`, one group an engine, ordered by replica."""
    groups = [_Group([t.url.partition("://")[2]], _labels(t)) for t in sorted(targets, key=lambda t: t.replica)]
    return msgspec.json.format(msgspec.json.encode(groups), indent=2) + b"\n"


def decode(document: bytes, *, foreign: bool = False, as_yaml: bool = False) -> list[Target]:
    """The targets of a file_sd document, JSON or YAML. Raises TargetFileError.

    `foreign`: written for Prometheus alone. Then a target without `replica` is known by its `pod`, else by its address, one
    without a `pool` of ours decodes, and one without `model` has "" for it.
    """
    try:
        groups = _groups_of_yaml(document) if as_yaml else msgspec.json.decode(document, type=list[_Group])
    except (msgspec.DecodeError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise TargetFileError(f"target file: {error}") from error
    return [_target(address, _completed(address, group) if foreign else group) for group in groups for address in group.targets]


def _groups_of_yaml(document: bytes) -> list[_Group]:
    # Its base loader leaves every scalar the string it is written as, which labels are.
    return msgspec.convert(yaml.load(document, Loader=yaml.BaseLoader) or [], type=list[_Group])


def _labels(target: Target) -> dict[str, str]:
    labels = {
        "replica": target.replica,
        "pool": target.pool.value,
        "model": target.model,
        "model_root": target.model_root,
        "emulated": "true" if target.emulated else "false",
    }
    if target.leaving:
        labels[_LEAVING] = "true"
    if not target.ready:
        labels[_UNREADY] = "true"
    if target.kv_events is not None:
        labels["kv_events"] = target.kv_events
    if target.kv_topic is not None:
        labels["kv_topic"] = target.kv_topic
    if target.replay is not None:
        labels["replay"] = target.replay
    if target.cache_server is not None:
        labels["cache_server"] = target.cache_server
    if target.url.startswith("https:"):
        labels[_SCHEME] = "https"
    if target.metrics_path != METRICS_PATH:
        labels[_METRICS_PATH] = target.metrics_path
    if target.namespace is not None:
        labels["namespace"] = target.namespace
    if target.cluster is not None:
        labels["cluster"] = target.cluster
    if target.kv_event_ranks != 1:
        labels["kv_event_ranks"] = str(target.kv_event_ranks)
    return labels


def _completed(address: str, group: _Group) -> _Group:
    labels = group.labels
    missing = {"replica": labels.get("pod") or address, "pool": Pool.DECODE.value, "model": ""}
    told = {name: value for name, value in labels.items() if value and (name != "pool" or value in set(Pool))}
    return _Group(group.targets, missing | told)


def _target(address: str, group: _Group) -> Target:
    labels = group.labels
    try:
        return Target(
            replica=labels["replica"],
            url=f"{labels.get(_SCHEME) or 'http'}://{address}",
            pool=Pool(labels["pool"]),
            model=labels["model"],
            model_root=labels.get("model_root", labels["model"]),
            kv_events=labels.get("kv_events") or None,
            kv_topic=labels.get("kv_topic") or None,
            replay=labels.get("replay") or None,
            cache_server=labels.get("cache_server") or None,
            kv_event_ranks=_ranks(labels),
            emulated=labels.get("emulated") == "true",
            leaving=labels.get(_LEAVING) == "true",
            ready=labels.get(_UNREADY) != "true",
            metrics_path=labels.get(_METRICS_PATH) or METRICS_PATH,
            namespace=labels.get("namespace") or None,
            cluster=labels.get("cluster") or None,
        )
    except KeyError as error:
        raise TargetFileError(f"target {address}: label {error} is missing") from error
    except ValueError as error:
        raise TargetFileError(f"target {address}: {error}") from error


def _ranks(labels: dict[str, str]) -> int:
    ranks = int(labels.get("kv_event_ranks") or "1")
    if not 1 <= ranks <= RANKS_MAX:
        raise ValueError(f"kv_event_ranks {ranks} is not from 1 to {RANKS_MAX}")
    endpoints = [endpoint for label in ("kv_events", "replay") if (endpoint := labels.get(label))]
    if ranks > 1 and not all(endpoint.startswith("tcp://") for endpoint in endpoints):
        raise ValueError("kv_event_ranks needs tcp:// endpoints: ranks are told apart by their ports")
    if labels.get("kv_topic") and (ranks > 1 or labels.get("kv_events")):
        raise ValueError("kv_topic is for an engine of one rank that connects to the router, and not for one with kv_events")
    return ranks
