"""What runs while the dashboard is measured: engines, exporter, control, router, Prometheus, traffic."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec
import yaml

from stack.bench.dashboard import fleet
from stack.bench.dashboard.query_log import Asked, asked
from stack.bench.router.process import Pinned, ProcessError, Yard
from stack.bench.router.stand import free_ports
from stack.local.prometheus_config import Scraping, render
from stack.model.target import Target, encode

_READY_S = 90.0
_LOOK_S = 0.2
_HOST = "127.0.0.1"
_OTHERS = ("exporter", "control", "router", "prometheus")
_ASKED = ("control",)  # by the dashboard; the fleet's engines have machines of their own elsewhere, and here what is left
_BUSY_MODELS = 4  # each has a process of its own that asks it


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The fleet to stand before. `scrape_seconds`: large fleets are read less often; `rate` is requests a second."""

    engines: int
    scrape_seconds: int
    rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Where what it needs is: Prometheus' program, a tokenizer's folder, the shipped rules, a folder for this run."""

    prometheus: Path
    tokenizer: Path
    rules: Path
    folder: Path


class Stand:
    """The running fleet on `cores`, and its Prometheus, which has a machine of its own elsewhere, `anywhere`.

    It ends with the yard that it was started in.
    """

    def __init__(self, yard: Yard, tools: Tools, wanted: Wanted, cores: Sequence[int], anywhere: Sequence[int]) -> None:
        self._yard, self._tools, self._wanted, self._cores, self._anywhere = yard, tools, wanted, cores, anywhere
        self._ports = {"emulator": free_ports(1)[0]}
        self.targets: list[Target] = []
        self._query_log = tools.folder / "queries.log"
        self._prometheus: Pinned | None = None

    def url(self, name: str) -> str:
        return f"http://{_HOST}:{self._ports[name]}"

    def start(self, tell: Callable[[str], None]) -> None:
        """Everything, one after the other, each when the one before answers. Raises ProcessError."""
        folder = self._tools.folder
        tell(f"{self._wanted.engines} emulated engines")
        self._kvdeck("emulator", "--admin", self._address("emulator"), "--profile", fleet.PROFILE)
        self._answers("emulator", "/health")
        members = fleet.members(self._wanted.engines)
        self.targets = fleet.start(self.url("emulator"), members, str(self._tools.tokenizer))
        self._ports |= zip(_OTHERS, free_ports(len(_OTHERS)), strict=True)  # now that the engines have theirs
        listed, config = folder / "engines.json", folder / "desired.yaml"
        listed.write_bytes(encode(self.targets))
        config.write_bytes(msgspec.yaml.encode({"desired": fleet.desired(members)}))
        wait = str(self._wanted.scrape_seconds)  # on a page of its own a large fleet would be late
        slow = ("--cache.interval", wait, "--scrape.timeout", wait)
        tell("exporter, control, router, Prometheus")
        self._python(
            "exporter", "exporters", *("--web.listen-address", self._address("exporter"), "--target.file", str(listed)), *slow
        )
        own = ("--config", str(config), "--targets", str(listed))
        state = ("--state-dir", str(folder / "control"), "--pools", "none")
        self._kvdeck("control", "--listen", self._address("control"), *state, *own)
        self._answers("control", "/health")
        asks = ("--control-url", self.url("control"), "--secret-file", str(folder / "secret"))
        self._kvdeck("router", "--listen", self._address("router"), *asks, *own)
        self._start_prometheus()
        self._answers("router", "/ready")
        self._answers("prometheus", "/-/ready")
        busy = fleet.models(members)[:_BUSY_MODELS]
        for model in busy:
            self._kvdeck("traffic", *("--url", self.url("router"), "--model", model, "--rate", str(self._wanted.rate / len(busy))))

    def asked(self) -> list[Asked]:
        """What Prometheus was asked so far."""
        with self._query_log.open(encoding="utf-8") as lines:
            return list(asked(line for line in lines if line.endswith("\n")))

    def hang_prometheus(self) -> None:
        """From now on it accepts connections and answers none."""
        self._signal(signal.SIGSTOP)

    def wake_prometheus(self) -> None:
        self._signal(signal.SIGCONT)

    def end_prometheus(self) -> None:
        """From now on nothing listens where it was."""
        if self._prometheus is not None:
            self._prometheus.stop()

    def _signal(self, number: signal.Signals) -> None:
        if self._prometheus is not None:
            self._prometheus.signal(number)

    def _start_prometheus(self) -> None:
        written, nobody = self._tools.folder / "prometheus.yaml", self._tools.folder / "nobody.json"
        nobody.write_text("[]")
        jobs = {job: self._address(job) for job in ("exporter", "control", "router", "prometheus")}
        # The exporter reads the engines, and nobody listens where Alertmanager would be: alerts are rules that fire.
        scraping = Scraping(
            interval_seconds=self._wanted.scrape_seconds,
            targets=nobody,
            jobs=jobs,
            rules=self._tools.rules,
            alertmanager=f"{_HOST}:9",
        )
        document = yaml.safe_load(render(scraping))
        document["global"]["query_log_file"] = str(self._query_log)
        written.write_text(yaml.safe_dump(document))
        argv = (
            *(str(self._tools.prometheus), f"--config.file={written}", f"--storage.tsdb.path={self._tools.folder / 'data'}"),
            *(f"--web.listen-address={self._address('prometheus')}", "--log.level=warn"),
        )
        self._prometheus = self._yard.start("dashboard prometheus", argv, self._anywhere)

    def _address(self, name: str) -> str:
        return f"{_HOST}:{self._ports[name]}"

    def _kvdeck(self, name: str, *arguments: str) -> None:
        self._python(name, "stack.cli.main", name, *arguments)

    def _python(self, name: str, module: str, *arguments: str) -> None:
        process = self._yard.start(f"dashboard {name}", (sys.executable, "-m", module, *arguments), self._cores)
        if name not in _ASKED:
            process.give_way()

    def _answers(self, name: str, path: str) -> None:
        await_answer(self.url(name) + path, name)


def await_answer(url: str, name: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Until `url` answers with success. Raises ProcessError when it does not come to that."""
    patience = time.monotonic() + _READY_S
    with httpx.Client(trust_env=False, timeout=5.0) as client:
        while True:
            try:
                if client.get(url).is_success:
                    return
            except httpx.HTTPError:
                pass  # not yet
            if time.monotonic() > patience:
                raise ProcessError(f"{name} is not ready after {_READY_S:.0f} s")
            sleep(_LOOK_S)
