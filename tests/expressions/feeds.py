"""What a real Prometheus is fed with: an emulated fleet, recordings, synthetic expositions of old and new vLLM versions and of the
exporters of nodes and stores, and every family of ours.

A feed is a cluster of its own, named so. Its counters grow and its gauges stand; each series has ten scrapes, half a minute apart.
"""

import re
from collections.abc import Iterator, Mapping

from stack.engines import lmcache_quantities as lq
from stack.engines.quantities import Quantity
from stack.engines.versions import Version, text
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Family, Kind, Label
from tests.alerts.promtool import ROOT
from tests.exporters import synthetic_lmcache
from tests.exporters.recorded import DATA
from tests.exporters.synthetic import exposition, versions
from tests.expressions import emulated

SCRAPES = 10
SECONDS = 30
DECLARED = "declared"
EXPORTER = "exporter-over-recordings"
WATCHED = "exporter-over-emulated"
EMULATED = tuple(f"emulated-{name}" for name in emulated.ENGINES)
OTHERS = "synthetic-other-exporters"
_LMCACHES: dict[str, tuple[tuple[Quantity, ...], Version]] = {
    "lmcache-inside-0.3.9": (lq.IN_PROCESS, (0, 3, 9)),
    "lmcache-server-0.4.3": (lq.MULTI_PROCESS, lq.OLD),
    "lmcache-server-0.5.0": (lq.MULTI_PROCESS, lq.BETWEEN),
    "lmcache-server-0.5.6": (lq.MULTI_PROCESS, (0, 5, 6)),
}
"""Those that were not recorded: an older mode and older names, and what is told once something went wrong."""
_OTHERS = """\
node_amazonefa_rdma_read_bytes{device="rdmap0s31",port="1"} 1
node_amazonefa_rdma_write_bytes{device="rdmap0s31",port="1"} 1
node_infiniband_port_data_received_bytes_total{device="mlx5_0",port="1"} 1
redis_up 1
redis_instance_info{maxmemory_policy="noeviction"} 1
redis_evicted_keys_total 1
redis_memory_used_bytes 1
redis_memory_max_bytes 2
redis_master_link_up 1
redis_cluster_state 1
redis_rdb_last_bgsave_status 1
"""
_GROWS = ("_total", "_sum", "_count", "_bucket")
_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
_VALUES: dict[Label, tuple[str, ...]] = {
    Label.POOL: ("prefill", "decode"),
    Label.TIER: ("engine", "l1", "l2", "lmcache"),
    Label.COLLECTOR: ("engines", "lmcache", "store", "routers"),
    Label.STATE: ("ready", "desired", "down", "lost", "unknown", "different", "absent", "running", "waiting"),
    Label.PATH: ("direct", "dpd"),
    Label.PHASE: ("router", "decode_queue", "queue", "prefill"),
    Label.SOURCE: ("computed", "engine"),
    Label.TRANSPORT: ("nixl",),
    Label.STRATEGY: ("kv_aware", "round_robin"),
    Label.DIRECTION: ("receive", "send"),
    Label.OPERATION: ("read", "write"),
    Label.REASON: ("a-reason", "not_found", "index_gaps"),
    Label.EVENT: ("evict_reuse_gap",),
    Label.CODE: ("2xx", "5xx"),
    Label.QUANTITY: ("requests_running",),
    Label.POLICY: ("noeviction",),
}
"""Of these labels the values that rules ask for; others have one a family."""


def feeds(end: float, fleet: Mapping[str, str]) -> str:
    """All feeds as one OpenMetrics document whose last scrape is at `end`, in seconds; `fleet` is what the emulated one said."""
    told = {f"emulated-{name}" if name else WATCHED: document for name, document in fleet.items()}
    return "".join(line for name, document in (*told.items(), *_documents()) for line in _scraped(name, document, end)) + "# EOF\n"


def recorded() -> list[str]:
    """The feeds that are recordings of engines and servers."""
    return sorted(path.stem for path in (DATA / "expositions").glob("*.txt"))


def synthetic() -> dict[str, Version]:
    """The feeds of versions: the first, the last before names changed, and the newest."""
    known = versions()
    chosen = (known[0], max(each for each in known if each < (0, 12, 0)), known[-1])
    return {f"synthetic-vllm-{text(version)}": version for version in chosen}


def _documents() -> Iterator[tuple[str, str]]:
    for name in recorded():
        yield name, (DATA / "expositions" / f"{name}.txt").read_text()
    for name, version in synthetic().items():
        yield name, exposition(version).decode()
    for name, (quantities, version) in _LMCACHES.items():
        yield name, synthetic_lmcache.exposition(quantities, version).decode()
    yield EXPORTER, (ROOT / "tests" / "exporters" / "expected" / "dpd-with-lmcache.txt").read_text()
    yield OTHERS, _OTHERS
    yield DECLARED, "\n".join(line for family in CATALOG.values() for line in _declared(family))


def _scraped(name: str, document: str, end: float) -> Iterator[str]:
    engines = not name.startswith(("lmcache", EXPORTER, WATCHED, OTHERS, DECLARED))
    attached = f'cluster="{name}",namespace="ns",instance="{name}:8000",job="{"engines" if engines else name}"'
    attached += f',pod="{name}-0"' if engines else ""
    samples = [*_SAMPLE.findall(document), ("up", "", "1")]
    for number in range(SCRAPES):
        at = end - (SCRAPES - 1 - number) * SECONDS
        for metric, labels, value in samples:
            grown = float(value) + number * (float(value) + 1) if metric.endswith(_GROWS) else float(value)
            pools = ("prefill", "decode") if engines and "pool=" not in labels else ("",)
            for pool in pools:
                more = f',pool="{pool}"' if pool else ""
                yield f"{metric}{{{attached}{more}{',' if labels else ''}{labels}}} {grown} {at}\n"


def _declared(family: Family) -> Iterator[str]:
    sets = [""]
    for label in family.labels:
        values = _VALUES.get(label, (f"a-{label}",))
        sets = [f'{before}{"," if before else ""}{label}="{value}"' for before in sets for value in values]
    for labels in sets:
        if family.kind is not Kind.HISTOGRAM:
            yield f"{family.name}{{{labels}}} 1"
            continue
        comma = "," if labels else ""
        yield f'{family.name}_bucket{{{labels}{comma}le="1"}} 1'
        yield f'{family.name}_bucket{{{labels}{comma}le="+Inf"}} 2'
        yield f"{family.name}_count{{{labels}}} 2"
        yield f"{family.name}_sum{{{labels}}} 2"
