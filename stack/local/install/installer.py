"""Brings everything that is wanted, step by step, each seen on the checklist and each a no-op when its result is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.config import Layout
from stack.local.checklist import Checklist, Step
from stack.local.install.debian import Debian
from stack.local.install.engine_environment import EngineEnvironment
from stack.local.install.environment import Environment
from stack.local.install.holding import held
from stack.local.install.model import ModelSource, is_complete
from stack.local.install.monitoring import find_monitoring
from stack.local.install.packages import Pip
from stack.local.install.plan import EngineInstallation, EngineKind, Installed, InstallError, Monitoring, Wanted
from stack.local.install.shared_libraries import find_libraries
from stack.local.install.store import find_store


@dataclass(frozen=True, slots=True)
class Installer:
    """`python` is kvdeck's own interpreter, whose pip fetches the model; `torch_index` see EngineEnvironment."""

    layout: Layout
    python: Path
    torch_index: str | None = None

    def install(self, wanted: Wanted, checklist: Checklist) -> Installed:
        """Everything `wanted` needs. Waits while another installation runs. Raises InstallError."""
        with self._alone(checklist):
            if wanted.engines is EngineKind.EMULATED:
                return self._emulated(checklist)
            monitoring = self._monitoring(checklist)
            engine = self._engine(checklist)
            return Installed(monitoring, find_store(), engine.model, engine)

    def _emulated(self, checklist: Checklist) -> Installed:
        """For any machine: what cannot be had is named, and the rest goes on without it."""
        try:
            monitoring, missing = self._monitoring(checklist), None
        except InstallError as error:
            monitoring, missing = None, f"without Prometheus, Alertmanager and the dashboard's figures: {error}"
        return Installed(monitoring, None, self._tokenizer(checklist), None, missing)

    def install_monitoring(self, checklist: Checklist) -> Monitoring:
        """Prometheus and Alertmanager alone. Raises InstallError."""
        with self._alone(checklist):
            return self._monitoring(checklist)

    @contextmanager
    def _alone(self, checklist: Checklist) -> Iterator[None]:
        waits: list[Step] = []
        with held(self.layout.state / "install.lock", lambda: waits.append(checklist.step("Another installation is running"))):
            for wait in waits:
                wait.done("it has ended")
            yield

    def _monitoring(self, checklist: Checklist) -> Monitoring:
        with checklist.step("Prometheus and Alertmanager") as step:
            found = find_monitoring(self._debian, step)
            step.done(str(found.prometheus))
        return found

    def is_engine_installed(self) -> bool:
        """Whether the large parts of real engines are there."""
        return self._environment.is_current() and is_complete(self.layout.model)

    def _engine(self, checklist: Checklist) -> EngineInstallation:
        environment = self._environment
        python = environment.environment.python
        with checklist.step("Engine environment (vLLM, LMCache, NIXL)") as step:
            environment.ensure(step)
            libraries = find_libraries(self._debian, step)
        with checklist.step("Model (SmolLM2-135M-Instruct)") as step:
            self._source.ensure_model(self.layout.model, python, libraries, step)
        return EngineInstallation(python, self.layout.model, libraries)

    def _tokenizer(self, checklist: Checklist) -> Path:
        if is_complete(self.layout.model):
            return self.layout.model
        folder = self.layout.model.with_name(f"{self.layout.model.name}-tokenizer")
        with checklist.step("Tokenizer (SmolLM2)") as step:
            self._source.ensure_tokenizer(folder, step)
        return folder

    @property
    def _debian(self) -> Debian:
        return Debian(self.layout.binaries, self.layout.logs / "debian.log")

    @property
    def _environment(self) -> EngineEnvironment:
        environment = Environment(self.layout.engine_environment, self.layout.logs / "engine-environment.log")
        return EngineEnvironment(environment, self._pip("engine-environment"), self.torch_index)

    @property
    def _source(self) -> ModelSource:
        return ModelSource(self._pip("model"), self.layout.logs / "model.log")

    def _pip(self, log: str) -> Pip:
        return Pip(self.python, self.layout.logs / f"{log}.log")
