"""The other routers: which, how each is started, and an environment of its own for each package."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.config import Layout
from stack.local.install.environment import Environment, Installation
from stack.local.install.progress import Progress

_HOST = "127.0.0.1"
_PACKAGES = 24  # what one of them brings, about: for the bar only


@dataclass(frozen=True, slots=True)
class Peer:
    """A router from a package index, pinned; `module` starts it."""

    package: str
    version: str
    module: str

    def environment(self, layout: Layout) -> Environment:
        """Where it is installed: apart from everything else, since each pins what it likes."""
        log = layout.logs / f"bench-{self.package}-install.log"
        return Environment(layout.state / "bench" / f"{self.package}-{self.version}", log)

    def ensure(self, environment: Environment, progress: Progress) -> None:
        """Installs it unless it is there. Raises InstallError."""
        requirement = f"{self.package}=={self.version}"
        stamp = f"Python {platform.python_version()} {environment.folder}\n{requirement}"
        if not environment.is_current(stamp):
            environment.build(stamp, [Installation((requirement,), _PACKAGES)], progress)
            environment.seal(stamp)

    def command(self, python: Path, policy: str, port: int, metrics_port: int, backends: Sequence[str]) -> tuple[str, ...]:
        """Starts it with `policy` in front of `backends`; it says only what goes wrong."""
        listen = ("--host", _HOST, "--port", str(port), "--prometheus-host", _HOST, "--prometheus-port", str(metrics_port))
        routing = ("--worker-urls", *backends, "--policy", policy)
        return (str(python), "-m", self.module, *routing, *listen, "--log-level", "error")


VLLM_ROUTER = Peer("vllm-router", "0.1.17", "vllm_router.launch_router")
SGLANG_ROUTER = Peer("sglang-router", "0.3.2", "sglang_router.launch_router")
