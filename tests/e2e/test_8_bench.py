"""`kvdeck bench router` with the real nginx and wrk, as short as it gets; the other routers are left out: they need an index."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.e2e.deck import ROOT

pytestmark = pytest.mark.e2e


def test_the_benchmark_measures_our_router_and_its_streams() -> None:
    command = ["bench", "router", "--json", "--no-peers", "--force", "--rounds", "1", "--seconds", "1", "--streams", "10"]
    ran = subprocess.run(
        [sys.executable, "-m", "stack.cli.main", *command], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert [row["name"] for row in report["routers"]] == ["kvdeck prefix_aware", "kvdeck round_robin"]
    # Figures of one second on a machine that does other things: that they are there, not how good they are.
    assert all(row["requests_per_second"] > 10 and row["errors"] == 0 for row in report["routers"])
    assert report["throughput_ratio_to_cache_aware"] is None  # unknown: nobody to compare with
    assert report["added_latency_p50_ms"] is not None
    assert report["added_itl_p99_ms"] is not None
