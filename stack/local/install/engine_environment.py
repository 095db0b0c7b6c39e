"""The engines' environment: vLLM, LMCache and NIXL in a place of their own, as on a real node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stack.local.install.environment import Environment, Installation, stamp_of
from stack.local.install.packages import Pip, requirements
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress

LOCK = Path(__file__).parents[1] / "locks" / "engine.lock"
TORCH_INDEX = "KVDECK_TORCH_INDEX"


@dataclass(frozen=True, slots=True)
class EngineEnvironment:
    """Where the environment is, and the pip to ask before it exists.

    `torch_index` is the URL of a package index that has CPU builds of torch, for when the usual one has none.
    """

    environment: Environment
    pip: Pip
    torch_index: str | None = None
    lock: Path = LOCK

    def is_current(self) -> bool:
        """Whether it is complete and made from this lock file."""
        return self.environment.is_current(self._stamp())

    def ensure(self, progress: Progress) -> None:
        """Builds it if it is missing or outdated. Raises InstallError."""
        if self.is_current():
            return
        progress.detail("looking for torch")
        self._require_cpu_torch()
        pinned = requirements(self.lock)
        arguments = ("--no-deps", *self._index(), "--requirement", str(self.lock))
        self.environment.build(self._stamp(), [Installation(arguments, len(pinned))], progress)
        self.environment.seal(self._stamp())

    def _stamp(self) -> str:
        return stamp_of(self.environment.folder, self.lock)

    def _index(self) -> tuple[str, ...]:
        return ("--extra-index-url", self.torch_index) if self.torch_index else ()

    def _require_cpu_torch(self) -> None:
        """Asked first: a CUDA build is a gigabyte, and without CUDA's libraries it does not even import."""
        for torch in (pin for pin in requirements(self.lock) if pin.startswith("torch==")):
            if any(need.startswith(("nvidia-", "cuda-")) for need in self.pip.needs_of(torch, self._index())):
                raise InstallError(
                    f"the package index offers only CUDA builds of {torch}: set {TORCH_INDEX} to the URL of "
                    "PyTorch's CPU wheel index (its install page names it) and run this again, or use --engines emulated"
                )
