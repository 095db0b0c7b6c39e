"""A real engine: vLLM with LMCache and, where there is a prefill pool, NIXL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from stack.local import engine_launch
from stack.local.components import lmcache
from stack.local.components.engine_environment import engine_environment, engine_installation
from stack.local.components.site import ENGINE_NICE, LOOPBACK, Site
from stack.local.cores import Division
from stack.local.probes import EngineProbe
from stack.local.process import Command
from stack.local.seats import Seat
from stack.local.spec import Spec, Stage
from stack.model.target import Target
from stack.model.tier import Pool

# After SIGTERM vLLM finishes what it has within this time; what outlives it hangs, so SIGKILL comes a little later.
SHUTDOWN_SECONDS = 20
GRACE_SECONDS = SHUTDOWN_SECONDS + 5.0
READY_WITHIN_SECONDS = 600.0  # 20 s on idle cores; three at once on two slow and busy ones take minutes
MQ_TIMEOUT_SECONDS = 15


def engine(site: Site, seat: Seat, division: Division) -> Spec:
    """The engine of `seat`, pinned to its share of its pool's cores.

    It waits for nothing: it is busy for 20 s before it looks for LMCache, and waits for that by itself if need be.
    """
    launch = site.launch
    installation = engine_installation(launch)
    planned = launch.config.pools.prefill if seat.pool is Pool.PREFILL else launch.config.pools.decode
    cores = division.of(seat.pool, seat.index, planned.replicas)
    command = Command(
        host=site.host,
        kind="engine",
        argv=(str(installation.python), engine_launch.__file__, *_arguments(site, seat, installation.model)),
        environment={
            **engine_environment(installation, site.cache, site.host.environment),
            **_environment(seat, cores),
        },
        stage=Stage.ENGINE,
        grace=GRACE_SECONDS,
        nice=ENGINE_NICE,
        cores=cores,
        url=seat.url,
    )
    return Spec(
        name=seat.name,
        kind="engine",
        stage=Stage.ENGINE,
        launch=command,
        probe=EngineProbe(site.client, seat.url, launch.config.model),
        url=seat.url,
        ready_within=READY_WITHIN_SECONDS,
        target=target(site, seat, installation.model),
        log=site.log(seat.name),
    )


def target(site: Site, seat: Seat, root: Path, emulated: bool = False) -> Target:
    """What the target file says of the engine."""
    return Target(
        replica=seat.name,
        url=seat.url,
        pool=seat.pool,
        model=site.launch.config.model,
        model_root=str(root),
        kv_events=_socket(site, seat, "events"),
        replay=_socket(site, seat, "replay"),
        cache_server=lmcache.NAME,
        emulated=emulated,
    )


def _socket(site: Site, seat: Seat, kind: str) -> str:
    return f"ipc://{site.layout.runtime}/{seat.name}.{kind}"


def _environment(seat: Seat, cores: tuple[int, ...]) -> dict[str, str]:
    return {
        "VLLM_HOST_IP": LOOPBACK,
        "GLOO_SOCKET_IFNAME": "lo",
        "UCX_TLS": "tcp,shm,self",
        "UCX_NET_DEVICES": "lo",
        "VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, cores)),
        "VLLM_NIXL_SIDE_CHANNEL_HOST": LOOPBACK,
        "VLLM_NIXL_SIDE_CHANNEL_PORT": str(seat.side_channel_port),
        # The only thing left to compile with --enforce-eager is a helper for log probabilities: it would take a C++
        # compiler, and 18 s of the first request that asks for them.
        "TORCH_COMPILE_DISABLE": "1",
    }


def _arguments(site: Site, seat: Seat, model: Path) -> tuple[str, ...]:
    settings = site.settings
    return (
        *("--model", str(model), "--served-model-name", site.launch.config.model),
        *("--host", LOOPBACK, "--port", str(seat.port)),
        *("--dtype", settings.dtype, "--max-model-len", str(settings.max_model_len)),
        *("--block-size", str(settings.block_size), "--kv-cache-memory-bytes", str(settings.kv_cache_bytes)),
        # Hashes that do not depend on Python's: engines and routers can compare them.
        *("--prefix-caching-hash-algo", "sha256_cbor"),
        *("--enable-prompt-tokens-details", "--enable-per-request-metrics"),
        *("--enforce-eager", "--shutdown-timeout", str(SHUTDOWN_SECONDS)),
        *("--kv-transfer-config", _json(connector(seat.pool, site.has_prefill, site.ports.lmcache))),
        *("--kv-events-config", _json(_events(site, seat))),
    )


def connector(pool: Pool, dpd: bool, lmcache_port: int) -> dict[str, Any]:
    """vLLM's KV transfer configuration: LMCache alone, or behind NIXL where KV moves between engines.

    `recompute`: an engine that cannot have the KV it was promised computes it, instead of failing the request.
    """
    tiers = {
        "kv_connector": "LMCacheMPConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {
            "lmcache.mp.host": f"tcp://{LOOPBACK}",
            "lmcache.mp.port": lmcache_port,
            # How soon an engine notices that the server is gone, or back.
            "lmcache.mp.heartbeat_interval": 2,
            # How long an engine stands still for an answer that is lost with the server (default: 300); longer than
            # a busy server takes, shorter than routers wait for a token. The server is up before an engine first asks.
            "lmcache.mp.mq_timeout": MQ_TIMEOUT_SECONDS,
        },
    }
    if not dpd:
        return tiers
    role = {"kv_role": "kv_producer" if pool is Pool.PREFILL else "kv_consumer", "kv_load_failure_policy": "recompute"}
    peers = {"kv_connector": "NixlConnector", "kv_buffer_device": "cpu", **role}
    return {"kv_connector": "MultiConnector", **role, "kv_connector_extra_config": {"connectors": [peers, tiers]}}


def _events(site: Site, seat: Seat) -> dict[str, Any]:
    """Engines bind and routers connect, so there may be several; the topic tells engines apart."""
    return {
        "enable_kv_cache_events": True,
        "publisher": "zmq",
        "endpoint": _socket(site, seat, "events"),
        "replay_endpoint": _socket(site, seat, "replay"),
        "topic": f"kv@{seat.name}",
    }


def _json(document: dict[str, Any]) -> str:
    return msgspec.json.encode(document).decode()
