"""A running stack as an outsider sees it: its command line, its HTTP faces, its metrics."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from stack.config import Layout, Ports
from stack.metrics import catalog
from stack.metrics.family import Family
from stack.model.tier import Source

ROOT = Path(__file__).parent.parent.parent
MODEL = "smollm2"
# Waits are written for an idle machine of two quick cores; a slow and busy one takes several times as long.
PATIENCE = 4
ANSWER_SECONDS = 30
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer through the router."""

    status: int
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        choice = self.body["choices"][0]
        return str(choice["message"]["content"] if "message" in choice else choice["text"])


@dataclass(frozen=True, slots=True)
class Deck:
    """The stack that `kvdeck up --ports-from` brought up."""

    ports: Ports

    def url(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def kvdeck(self, *arguments: str, timeout_seconds: float = 600) -> subprocess.CompletedProcess[str]:
        """Run `./kvdeck ARGUMENTS` and give its result."""
        return subprocess.run(
            [str(ROOT / "kvdeck"), *arguments], capture_output=True, text=True, timeout=timeout_seconds, check=False, cwd=ROOT
        )

    def components(self) -> dict[str, dict[str, Any]]:
        """`kvdeck status --json` by name."""
        listed = json.loads(self.kvdeck("status", "--json").stdout)["components"]
        return {component["name"]: component for component in listed}

    def logged(self) -> str:
        """The end of what the supervisor logged, which components ended, and how; and of the errors that engines logged."""
        logs = Layout.of(ROOT, Path(tempfile.gettempdir())).logs
        lines = (logs / "supervisor.log").read_text(encoding="utf-8").splitlines()[-30:]
        for engine in sorted([*logs.glob("prefill-*.log"), *logs.glob("decode-*.log")]):
            errors = [line for line in engine.read_text(encoding="utf-8").splitlines() if "Error" in line or "ERROR" in line]
            lines += [f"{engine.name}:", *errors[-40:]]
        return "\n".join(lines)

    # What a client does.

    def post(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Reply:
        answer = httpx.post(
            self.url(self.ports.router) + path, json=body, headers=dict(headers or {}), timeout=120, trust_env=False
        )
        return Reply(answer.status_code, dict(answer.headers), answer.json())

    def chat(self, content: str, max_tokens: int = 16, **more: object) -> Reply:
        """A greedy chat of one user message."""
        body = {"model": MODEL, "messages": [{"role": "user", "content": content}], "max_tokens": max_tokens, "temperature": 0}
        return self.post("/v1/chat/completions", body | more)

    def complete(self, prompt: str, max_tokens: int = 16, **more: object) -> Reply:
        """A greedy completion."""
        return self.post("/v1/completions", {"model": MODEL, "prompt": prompt, "max_tokens": max_tokens, "temperature": 0} | more)

    # What an operator does.

    def state(self) -> dict[str, Any]:
        answer = httpx.get(self.url(self.ports.control) + "/v1/state", timeout=ANSWER_SECONDS, trust_env=False)
        document: dict[str, Any] = answer.raise_for_status().json()
        return document

    def change(self, patch: object) -> dict[str, Any]:
        """PATCH the desired state at its present generation; must be accepted, and applied by the routers."""
        generation = self.state()["generation"]
        answer = httpx.patch(
            self.url(self.ports.control) + "/v1/state",
            json=patch, headers={"If-Match": str(generation)}, timeout=ANSWER_SECONDS, trust_env=False,
        )  # fmt: skip
        assert answer.status_code in (200, 202), answer.text
        document: dict[str, Any] = answer.json()
        wait_for(lambda: self._applied(document["generation"]), 10, "every router applies the change")
        return document

    def decision(self, request_id: str) -> dict[str, Any] | None:
        """Control's record of a request, None while it has none."""
        answer = httpx.get(self.url(self.ports.control) + f"/v1/decisions/{request_id}", timeout=ANSWER_SECONDS, trust_env=False)
        document: dict[str, Any] = answer.json()
        return document if answer.status_code == 200 else None

    def _applied(self, generation: int) -> bool:
        routers = self.state()["applied"]["routers"]
        return bool(routers) and all(router["generation"] >= generation for router in routers if router.get("live", True))

    # What the measuring says.

    def samples(self, family: Family, **labels: str) -> dict[tuple[tuple[str, str], ...], float]:
        """The samples of one family at its emitter, right now, that carry `labels`."""
        port = {"exporter": self.ports.exporter, "router": self.ports.router, "control": self.ports.control}[family.emitter]
        return {
            tuple(sorted(sample.labels.items())): sample.value
            for sample in _exposed(self.url(port))
            if sample.name == family.name and labels.items() <= sample.labels.items()
        }

    def total(self, family: Family, **labels: str) -> float:
        """The sum of `samples`; 0 where there are none yet."""
        return sum(self.samples(family, **labels).values())

    def sources(self, replica: str) -> dict[Source, float] | None:
        """The waterfall of one engine: prompt tokens by source. None when the exporter could not read it this time."""
        told = self.samples(catalog.PROMPT_TOKENS, replica=replica)
        return {Source(dict(labels)["source"]): tokens for labels, tokens in told.items()} or None

    def prompt_tokens(self, engine_url: str) -> float:
        """What one engine itself counts as prompt tokens."""
        return sum(sample.value for sample in _exposed(engine_url) if sample.name == "vllm:prompt_tokens_total")

    def prometheus(self, path: str, **params: str) -> Any:
        answer = httpx.get(self.url(self.ports.prometheus) + path, params=params, timeout=ANSWER_SECONDS, trust_env=False)
        return answer.raise_for_status().json()["data"]

    def alerts(self) -> set[str]:
        """Names of the alerts that Alertmanager holds active."""
        answer = httpx.get(self.url(self.ports.alertmanager) + "/api/v2/alerts", timeout=ANSWER_SECONDS, trust_env=False)
        return {alert["labels"]["alertname"] for alert in answer.raise_for_status().json() if alert["status"]["state"] == "active"}


def _exposed(url: str) -> Iterator[Sample]:
    text = httpx.get(url + "/metrics", timeout=ANSWER_SECONDS, trust_env=False).raise_for_status().text
    return (sample for family in text_string_to_metric_families(text) for sample in family.samples)


def wait_for(condition: Callable[[], T | None], seconds: float, what: str) -> T:
    """Poll until `condition` is truthy and give its value; fails naming `what` after `seconds` with patience."""
    deadline = time.monotonic() + PATIENCE * seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited {PATIENCE * seconds:.0f} s in vain: {what}"
        time.sleep(0.5)
