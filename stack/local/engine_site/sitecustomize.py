"""Runs at the start of every Python process of an engine and mends two things no option reaches.

NIXL's agent sets `pthrDelay = 0`: its progress thread polls without a pause and burns a core for each idle engine.
The agent's constructor is wrapped as soon as NIXL's bindings are imported, and gets a delay wherever it had none.
1 ms costs a transfer at most that much and takes an idle engine from a whole core to about two percent of one.

vLLM's NIXL connector moves the thread that runs the model to the last core of the machine, whatever cores the
engine was given: on two cores a prefill engine then computes on the decode engines' core. Here an engine stays
where the supervisor pinned it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

DELAY_MICROSECONDS = 1000
BINDINGS = frozenset({"nixl_cu12._bindings", "nixl_cu13._bindings", "nixl_rocm._bindings"})


class Mended(Loader):
    """Loads NIXL's bindings with `loader`, then wraps their agent."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        module.nixlAgent = patient(module.nixlAgent)  # type: ignore[attr-defined]  # the bindings ship no types


class NixlFinder(MetaPathFinder):
    """Finds NIXL's bindings where they would be found anyway, and mends them on the way."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname not in BINDINGS:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = Mended(spec.loader)
        return spec


def patient(agent: Callable[..., Any]) -> Callable[..., Any]:
    """`agent`'s constructor, with the delay set where the configuration asks for a busy loop."""

    def construct(name: str, config: Any, *rest: Any) -> Any:
        if config.pthrDelay == 0:
            config.pthrDelay = DELAY_MICROSECONDS
        return agent(name, config, *rest)

    return construct


def stay(pid: int, mask: Iterable[int], /) -> None:
    """Stands in for os.sched_setaffinity: the cores of an engine are the supervisor's to choose."""


if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity = stay
sys.meta_path.insert(0, NixlFinder())
