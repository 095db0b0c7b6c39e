"""`kvdeck bench index`: starts the engine that only publishes, measures, ends it."""

from __future__ import annotations

import subprocess
import sys
import tempfile

import uvloop

from stack.bench.index.churn import Churn
from stack.bench.index.report import LOOKUP_BLOCKS, LOOKUP_ENGINES, Report, report
from stack.bench.index.still import Fill, bytes_per_block, lookup_seconds
from stack.bench.index.stream import Burst, burst

_DEADLINE_S = 120.0


def run(steps: int, lookups: int) -> Report:
    """All three measures, one after the other. Raises EventsLostError, TimeoutError."""
    unseen, seen = (lookup_seconds(LOOKUP_BLOCKS, LOOKUP_ENGINES, lookups, seen=seen) for seen in (False, True))
    return report(_burst(Churn(steps)), unseen, seen, bytes_per_block(Fill()))


def _burst(churn: Churn) -> Burst:
    with tempfile.TemporaryDirectory(prefix="kvdeck-") as folder:
        endpoint = f"ipc://{folder}/events"
        engine = subprocess.Popen(
            [sys.executable, "-m", "stack.wiring.bench_engine", endpoint, str(churn.steps)], stdin=subprocess.PIPE
        )
        try:
            return uvloop.run(burst(endpoint, churn, _DEADLINE_S))
        finally:
            engine.terminate()
            engine.wait()
