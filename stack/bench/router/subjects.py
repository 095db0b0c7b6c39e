"""What is measured: our router under two strategies, and the peers under theirs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from stack.bench.router.chats import MODEL
from stack.control.state import Desired, Dpd, ModelState
from stack.model.target import Target, encode
from stack.model.tier import Pool

OWN_PACKAGE = "kvdeck"
OURS = "kvdeck prefix_aware"
OURS_SIMPLE = "kvdeck round_robin"
OURS_SEVERAL = "kvdeck prefix_aware, {} workers"
YARDSTICK = "vllm-router cache_aware"


@dataclass(frozen=True, slots=True)
class Subject:
    """One router: its name in the report, package and version, how it is started, and the port it answers on.

    `processes` is how many there are, each with a core to itself where the machine has them.
    """

    name: str
    package: str
    version: str
    argv: tuple[str, ...]
    port: int
    processes: int = 1

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True)
class Own:
    """Starts our router with its files in `folder`; records go to control at `control_url`."""

    folder: Path
    control_url: str

    def prepare(self, backends: Sequence[str]) -> None:
        """Writes a fleet of engines at `backends`, of a model whose files are nowhere."""
        self.write(
            [
                Target(replica=f"decode-{number}", url=url, pool=Pool.DECODE, model=MODEL, model_root=MODEL)
                for number, url in enumerate(backends)
            ]
        )

    def write(self, fleet: Sequence[Target]) -> None:
        """Writes the fleet."""
        self._targets.write_bytes(encode(list(fleet)))

    def command(self, strategy: str, port: int, workers: int = 1) -> tuple[str, ...]:
        """`kvdeck router` with `strategy` for every request, and all else as it comes."""
        desired = Desired(models={MODEL: ModelState(strategy=strategy, dpd=Dpd(enabled=False))})
        config = self.folder / f"{strategy}.yaml"
        config.write_bytes(msgspec.yaml.encode({"desired": desired}))
        own = ("--listen", f"127.0.0.1:{port}", "--id", f"bench-{strategy}-{workers}", "--targets", str(self._targets))
        files = ("--config", str(config), "--secret-file", str(self.folder / "secret"))
        several = () if workers == 1 else ("--workers", str(workers))
        return (sys.executable, "-m", "stack.cli.main", "router", *own, *files, *several, "--control-url", self.control_url)

    @property
    def _targets(self) -> Path:
        return self.folder / "engines.json"
