"""Settings of the one-machine stack: ports and paths, each with its unit and its reason."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

PORT_MAX = 65535


def address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, an IPv6 host without its brackets. Raises ValueError."""
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and int(port) <= PORT_MAX):
        raise ValueError(f"expected HOST:PORT, for example 127.0.0.1:8000, not {text!r}")
    return host.strip("[]"), int(port)


@dataclass(frozen=True, slots=True)
class Ports:
    """Every port of the local stack, all on loopback. Engines take `engines`, `engines` + 1, ..."""

    router: int = 8000
    control: int = 8010
    exporter: int = 9410
    dashboard: int = 8501
    prometheus: int = 9090
    alertmanager: int = 9093
    store: int = 6390
    lmcache: int = 5555
    lmcache_http: int = 8280
    engines: int = 8100

    @classmethod
    def packed(cls, first: int) -> Ports:
        """Consecutive ports from `first`, in the order of the fields."""
        return cls(*range(first, first + 10))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the local stack keeps what. `home` is the checkout; `state` is `home/.kvdeck`."""

    home: Path
    runtime: Path  # short: unix socket paths are limited to 107 bytes

    @classmethod
    def of(cls, home: Path, temporary: Path) -> Layout:
        """The layout of the stack at `home`; sockets go to a folder under `temporary` named after `home`."""
        digest = hashlib.sha256(str(home).encode()).hexdigest()[:10]
        return cls(home, temporary / f"kvdeck-{digest}")

    @property
    def state(self) -> Path:
        return self.home / ".kvdeck"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def targets(self) -> Path:
        """engines.json: the fleet's target file, written by the supervisor alone."""
        return self.state / "engines.json"

    @property
    def binaries(self) -> Path:
        """What was unpacked from Debian's packages."""
        return self.state / "debian"

    @property
    def model(self) -> Path:
        return self.state / "models" / "smollm2"

    @property
    def engine_environment(self) -> Path:
        return self.home / ".venv-engine"

    @property
    def supervisor_socket(self) -> Path:
        return self.runtime / "supervisor.sock"

    @property
    def alerts(self) -> Path:
        return self.home / "alerts"
