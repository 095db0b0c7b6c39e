"""A real Prometheus over back-filled blocks: nothing is waited for."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.alerts.promtool import tool

READY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Answers expressions as of `at`."""

    client: httpx.Client
    at: float

    def count(self, expression: str) -> int:
        """How many series `expression` has. Raises AssertionError with Prometheus' words when it is refused."""
        answer = self.client.post("/api/v1/query", data={"query": expression, "time": str(self.at)}).json()
        assert answer["status"] == "success", f"{answer.get('error')}: {expression}"
        return len(answer["data"]["result"])


@contextmanager
def serving(document: str, at: float, folder: Path) -> Iterator[Prometheus]:
    """Prometheus that holds the OpenMetrics `document`, ended with the block."""
    (folder / "feeds.txt").write_text(document)
    (folder / "prometheus.yml").write_text("{}\n")
    subprocess.run(
        [tool("promtool"), "tsdb", "create-blocks-from", "openmetrics", folder / "feeds.txt", folder / "data"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        tool("prometheus"), f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}", "--storage.tsdb.retention.time=10y", "--log.level=error",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with httpx.Client(base_url=f"http://{address}", timeout=10.0, trust_env=False) as client:
                _ready(client)
                yield Prometheus(client, at)
        finally:
            process.terminate()
            process.wait(timeout=10)


def _ready(client: httpx.Client) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            if client.get("/-/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise TimeoutError(f"Prometheus is not ready after {READY_SECONDS:g} s")
