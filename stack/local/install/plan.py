"""What an installation is asked for, what it gives, and the errors that say what to do when it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class EngineKind(StrEnum):
    """What serves the tokens."""

    VLLM = "vllm"
    EMULATED = "emulated"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the stack is going to run. `engine_count` is prefill and decode engines together."""

    engines: EngineKind = EngineKind.VLLM
    engine_count: int = 3


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Prometheus, Alertmanager and their tools: paths of programs that run here.

    `web_assets` goes to Prometheus as `--web.local-assets`: Debian's build looks for its pages on the system's paths
    and needs to be told when it was unpacked elsewhere. None: do not pass the flag, which other builds do not know.
    """

    prometheus: Path
    promtool: Path
    alertmanager: Path
    amtool: Path
    web_assets: Path | None = None


@dataclass(frozen=True, slots=True)
class EngineInstallation:
    """Real engines: the interpreter of their environment and what their processes need around them.

    `library_path` goes in front of LD_LIBRARY_PATH where a shared library had to be unpacked; None: nothing is missing.
    """

    python: Path
    model: Path
    library_path: Path | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """Everything the supervisor starts besides this project's own processes.

    `tokenizer` is a folder with tokenizer.json and tokenizer_config.json (chat template inside): the model's own.
    `store` and `engine` are None where the engines are emulated: their tiers are, too. `monitoring` is None where an
    emulated stack does without, on machines that have no Prometheus and no Debian packages; `missing` says so in words.
    """

    monitoring: Monitoring | None
    store: Path | None
    tokenizer: Path
    engine: EngineInstallation | None
    missing: str | None = None


class InstallError(Exception):
    """Something needed could not be brought here; the message is one line that says what to do."""


class PreflightError(InstallError):
    """This machine cannot run what was asked for; `problems` has one line each, and each says what to do."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
