"""What every component of one stack is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import httpx

from stack.config import Layout, Ports
from stack.local.install.plan import EngineKind
from stack.local.launch import Launch
from stack.local.process import Host
from stack.local.settings import LocalSettings

LOOPBACK = "127.0.0.1"
# Niceness: clients wait for engines and the router; nobody waits for a picture of them.
ENGINE_NICE = 0
OBSERVER_NICE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One start of the stack, with what its processes share. `client` asks their probes' questions."""

    launch: Launch
    host: Host
    client: httpx.AsyncClient

    @property
    def layout(self) -> Layout:
        return self.launch.layout

    @property
    def settings(self) -> LocalSettings:
        return self.launch.config.local

    @property
    def ports(self) -> Ports:
        return self.settings.ports

    @property
    def is_emulated(self) -> bool:
        return self.launch.engines is EngineKind.EMULATED

    @property
    def rendered(self) -> Path:
        """Where files go that are written anew at each start."""
        return self.layout.state / "run"

    @property
    def desired_file(self) -> Path:
        """The configured state, for router and control."""
        return self.rendered / "desired.yaml"

    @property
    def prometheus_file(self) -> Path:
        """Prometheus' configuration."""
        return self.layout.state / "prometheus" / "prometheus.yml"

    @property
    def cache(self) -> Path:
        """What engines may keep between runs."""
        return self.layout.state / "cache"

    @property
    def has_prefill(self) -> bool:
        """Whether this stack disaggregates: its engines are joined by NIXL then."""
        return self.launch.config.pools.prefill.replicas > 0

    @property
    def tokens(self) -> tuple[Path, ...]:
        """Whom control believes: people, and this start's own processes; nothing where it trusts loopback."""
        people = self.settings.tokens_path(self.layout.home)
        return () if people is None else (people, self.own_tokens)

    @property
    def own_tokens(self) -> Path:
        """The hashes of the tokens that this start's own processes have."""
        return self.rendered / "tokens.yaml"

    def token_of(self, name: str) -> Path | None:
        """The file of the token that our own process `name` has, None where control wants none."""
        return self.rendered / f"{name}.token" if self.tokens else None

    @property
    def digest(self) -> str:
        """Short and different for every checkout: names what all stacks of a machine share a space for."""
        return self.layout.runtime.name

    def log(self, name: str) -> Path:
        """The log file of component `name`."""
        return self.layout.logs / f"{name}.log"

    def kvdeck(self, *arguments: str) -> tuple[str, ...]:
        """The command line of one of our own processes."""
        return (str(self.launch.python), "-m", "stack.cli.main", *arguments)

    def url(self, port: int) -> str:
        """Where something on loopback is reached over HTTP."""
        return f"http://{LOOPBACK}:{port}"
