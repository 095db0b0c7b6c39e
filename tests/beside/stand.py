"""Somebody else's fleet, and of kvdeck only what watches: emulated engines behind a foreign router, the exporter, Prometheus."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from stack.bench.router.peers import VLLM_ROUTER
from stack.bench.router.stand import free_ports
from stack.config import Layout
from tests.alerts.promtool import ROOT, tool

MODEL = "emulated-8b"
ENGINES = ("pod-a", "pod-b", "pod-c")
SCRAPE_SECONDS = 2
READY_SECONDS = 60.0
WORDS = ["cache", "block", "prefix", "engine", "tier", "token", "store", "chunk", "router", "replica", "pool", "batch", "layer"]


@dataclass(frozen=True, slots=True)
class Stand:
    """What runs: the foreign router's address, and Prometheus' API."""

    router: str
    api: httpx.Client

    def count(self, expression: str) -> int:
        """How many series `expression` has now. Raises AssertionError with Prometheus' words when it is refused."""
        answer = self.api.post("/api/v1/query", data={"query": expression}).json()
        assert answer["status"] == "success", f"{answer.get('error')}: {expression}"
        return len(answer["data"]["result"])

    def alerts(self) -> list[dict[str, Any]]:
        """Every alerting rule as Prometheus judges it now."""
        groups = self.api.get("/api/v1/rules", params={"type": "alert"}).json()["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def chat(self, conversation: int, turns: int) -> None:
        """One conversation, each turn with all that was said before. Raises httpx.HTTPStatusError."""
        said = [f"Conversation {conversation} is about {WORDS[conversation % len(WORDS)]}. " + "It goes on and on. " * 40]
        with httpx.Client(base_url=self.router, timeout=60.0, trust_env=False) as client:
            for turn in range(turns):
                said.append(f"Question {turn}: what comes next? ")
                body = {"model": MODEL, "prompt": "".join(said), "max_tokens": 16}
                client.post("/v1/completions", json=body).raise_for_status()


@contextmanager
def standing(folder: Path) -> Iterator[Stand]:
    """Everything started in `folder`, and ended with the block."""
    admin, router, router_metrics, exporter, prometheus, *engines = free_ports(5 + len(ENGINES))
    with ExitStack() as running:
        start = _starter(running, folder)
        start("emulator", sys.executable, "-m", "stack.cli.main", "emulator", "--admin", f"127.0.0.1:{admin}")
        _await(f"http://127.0.0.1:{admin}/health")
        urls = [_engine(admin, name, port) for name, port in zip(ENGINES, engines, strict=True)]
        start("router", *VLLM_ROUTER.command(_router_python(), "cache_aware", router, router_metrics, urls))
        start("exporter", *_exporter(folder, urls, exporter, f"http://127.0.0.1:{router_metrics}"))
        start("prometheus", *_prometheus(folder, prometheus, exporter))
        for url in (f"http://127.0.0.1:{router}/health", f"http://127.0.0.1:{exporter}/healthz"):
            _await(url)
        _await(f"http://127.0.0.1:{prometheus}/-/ready")
        with httpx.Client(base_url=f"http://127.0.0.1:{prometheus}", timeout=10.0, trust_env=False) as api:
            yield Stand(f"http://127.0.0.1:{router}", api)


def _starter(running: ExitStack, folder: Path) -> Callable[..., None]:
    def start(name: str, *command: str) -> None:
        log = running.enter_context((folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        running.callback(process.wait, 15)
        running.callback(process.terminate)

    return start


def _router_python() -> Path:
    python = VLLM_ROUTER.environment(Layout.of(ROOT, Path(tempfile.gettempdir()))).python
    if not python.exists():
        pytest.skip("vllm-router is not installed (./kvdeck test without --quick installs it)")
    return python


def _engine(admin: int, name: str, port: int) -> str:
    spec = {"pool": "decode", "port": port, "model": MODEL, "model_root": "org/emulated-8b", "profile": "h100-llama8b-tp1"}
    httpx.put(f"http://127.0.0.1:{admin}/engines/{name}", json=spec, timeout=30.0, trust_env=False).raise_for_status()
    return f"http://127.0.0.1:{port}"


def _exporter(folder: Path, engines: Sequence[str], port: int, router: str) -> tuple[str, ...]:
    """Reads the fleet from the file that Prometheus reads it from, which nobody wrote for kvdeck."""
    fleet = [
        {"targets": [url.removeprefix("http://")], "labels": {"pod": name}} for url, name in zip(engines, ENGINES, strict=True)
    ]
    written = folder / "fleet.json"
    written.write_text(json.dumps(fleet))
    read = ("--target.file", str(written), "--router", f"gateway={router}")
    return (sys.executable, "-m", "exporters", "--web.listen-address", f"127.0.0.1:{port}", *read)


def _prometheus(folder: Path, port: int, exporter: int) -> tuple[str, ...]:
    interval = f"{SCRAPE_SECONDS}s"
    rules = ROOT / "alerts" / "rules"
    document = {
        "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
        "rule_files": [str(rules / "*.yaml"), str(rules / "objectives" / "*.yaml")],
        "scrape_configs": [
            {"job_name": "engines", "file_sd_configs": [{"files": [str(folder / "fleet.json")]}]},
            {"job_name": "exporter", "honor_labels": True, "static_configs": [{"targets": [f"127.0.0.1:{exporter}"]}]},
        ],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
    storage = ("--storage.tsdb.path", str(folder / "data"), "--log.level", "warn")
    config = ("--config.file", str(folder / "prometheus.yml"))
    return (tool("prometheus"), *config, *storage, "--web.listen-address", f"127.0.0.1:{port}")


def _await(url: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            if httpx.get(url, timeout=2.0, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise TimeoutError(f"{url} does not answer after {READY_SECONDS:g} s")
