"""What of the machine it runs on the exporter looks at, for collectors that are switched on where that machine is the engines'."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TIER_DAEMON = "http://127.0.0.1:9200"
SHARED_MEMORY = Path("/dev/shm/ai_toolkit_cache")
INFINIBAND = Path("/sys/class/infiniband")


@dataclass(frozen=True, slots=True)
class Node:
    """None: not looked at. `tier_daemon` is the URL of HyperPod's tiered storage, `shared_memory` its segment.

    `infiniband` is the folder in which the kernel shows RDMA devices.
    """

    tier_daemon: str | None = None
    shared_memory: Path | None = None
    infiniband: Path | None = None


UNSEEN = Node()
