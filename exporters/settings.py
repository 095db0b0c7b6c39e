"""What the exporter is told to do."""

from __future__ import annotations

import math
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from exporters.allowed import NOTHING, Allowed
from exporters.collector import runs_by_default
from exporters.node import UNSEEN, Node
from exporters.shard import WHOLE, Shard
from stack.kube.engine_pods import Selection


@dataclass(frozen=True, slots=True)
class Settings:
    """What to read, for how long, and how to serve it. `targets` are files, or patterns of them, `endpoints` URLs by
    collector and target name.

    `telemetry` is the path of the metrics, `web` a file with TLS and passwords, `collectors` those that run (None: the default).
    With `cache_seconds` targets are read that often, and asking reads the last time's samples. `shard`: which of them are read.
    `pods` are engines and `cache_pods` LMCache servers on Kubernetes, asked for as `kubeconfig` says, or as this pod's service
    account.
    `probe` is what others may have read at /probe. `authority` vouches for targets of https; None: those the system trusts.
    `store_sample` is how many of a store's keys are looked at in a scrape, `expected_l2` the L2 every LMCache should use.
    """

    host: str
    port: int
    targets: Sequence[str]
    endpoints: Mapping[str, Mapping[str, str]]
    timeout_seconds: float
    telemetry: str = "/metrics"
    web: Path | None = None
    collectors: frozenset[str] | None = None
    cache_seconds: float | None = None
    shard: Shard = WHOLE
    store_sample: int = 200
    expected_l2: str | None = None
    node: Node = UNSEEN
    pods: Selection | None = None
    cache_pods: Selection | None = None
    kubeconfig: Path | None = None
    probe: Allowed = NOTHING
    authority: ssl.SSLContext | None = None

    @property
    def scrape_seconds(self) -> float:
        """What a scrape may take. One for the cache that took longer than the interval would bring samples that are old already."""
        return min(self.timeout_seconds, self.cache_seconds or math.inf)

    def runs(self, collector: str) -> bool:
        """Whether the collector of this name runs."""
        return runs_by_default(collector) if self.collectors is None else collector in self.collectors
