"""Runs at the start of every Python process of an engine and mends what no option of vLLM, NIXL or LMCache reaches.

Idle engines: NIXL's agent sets `pthrDelay = 0`, so its progress thread polls without a pause and burns a core for each
idle engine. It gets a delay wherever it had none: 1 ms costs a transfer at most that much, and takes an idle engine
from a whole core to two percent of one.

Pinning: vLLM's NIXL connector moves the thread that runs the model to the last core of the machine, whatever cores the
engine was given: on two cores a prefill engine then computes on the decode engines' core. Here an engine stays where
the supervisor pinned it.

Lost stores: when the LMCache server ends between an engine's question where to store KV and the answer, LMCache's
client raises and the engine dies of it, though nothing but a cache entry is lost. Here there is nothing to store then.

Deaf engines: an engine begins to watch the LMCache server with its first store. When the server was restarted before
that, the engine takes itself for registered, and every store and load of it waits in vain for an answer, for ever. Here
it watches from its registration on, and so registers anew.

Late ends: a connector may tell of a transfer's end when its request is over, or twice; LMCache's was seen to under load,
minutes after its server had been away. vLLM's scheduler takes that for impossible, and the engine dies of it, with every
request that it has (https://github.com/vllm-project/vllm/issues/43226). Here such an end is logged: nothing is left to free.
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

Mend = Callable[[Any], None]


def let_agents_sleep(bindings: Any) -> None:
    """Wraps the constructor of NIXL's agents."""
    agent = bindings.nixlAgent

    def patient(name: str, config: Any, *rest: Any) -> Any:
        if config.pthrDelay == 0:
            config.pthrDelay = DELAY_MICROSECONDS
        return agent(name, config, *rest)

    bindings.nixlAgent = patient


def survive_lost_stores(transfer: Any) -> None:
    """An unanswered question where to store counts as `all of it is stored already`."""
    context = transfer.EngineDrivenContextShm
    ask = context.prepare_store

    def prepare_store(self: Any, key: Any, instance_id: int) -> Any:
        try:
            return ask(self, key, instance_id)
        except transfer.LMCacheTimeoutError:
            return [], []

    context.prepare_store = prepare_store


def watch_from_the_start(adapters: Any) -> None:
    """The heartbeat, which registers anew with a server that comes back, begins at the registration."""
    adapter = adapters.LMCacheMPWorkerAdapter
    register = adapter.register_kv_caches

    def register_kv_caches(self: Any, *arguments: Any, **named: Any) -> None:
        register(self, *arguments, **named)
        self._ensure_heartbeat_started()

    adapter.register_kv_caches = register_kv_caches


def outlive_late_ends(scheduling: Any) -> None:
    """The scheduler is told of those ends alone that a request of its own waits for; the connectors are told of all."""
    scheduler, waiting = scheduling.Scheduler, scheduling.RequestStatus.WAITING_FOR_REMOTE_KVS
    update = scheduler._update_from_kv_xfer_finished

    def _update_from_kv_xfer_finished(self: Any, output: Any) -> None:
        received, sent = set(output.finished_recving or ()), set(output.finished_sending or ())
        known = {name: self.requests[name] for name in received | sent if name in self.requests}
        over = {name for name, request in known.items() if request.is_finished()}
        heeded = {name for name in received if name in over or (name in known and known[name].status == waiting)}
        freed = (sent & over) - heeded  # the end of a load frees what is over, too
        if late := (received - heeded) | (sent - freed):
            scheduling.logger.warning("KV transfers ended for which no request waits: %s", ", ".join(sorted(late)))
            rest = type(output)(finished_recving=received - heeded, finished_sending=sent - freed)
            self.connector.update_connector_output(rest)
            output.finished_recving, output.finished_sending = heeded, freed
        update(self, output)

    scheduler._update_from_kv_xfer_finished = _update_from_kv_xfer_finished


def stay(pid: int, mask: Iterable[int], /) -> None:
    """Stands in for os.sched_setaffinity: the cores of an engine are the supervisor's to choose."""


MENDS: dict[str, Mend] = {
    "nixl_cu12._bindings": let_agents_sleep,
    "nixl_cu13._bindings": let_agents_sleep,
    "lmcache.v1.multiprocess.transfer_context.shm": survive_lost_stores,
    "lmcache.integration.vllm.vllm_multi_process_adapter": watch_from_the_start,
    "vllm.v1.core.sched.scheduler": outlive_late_ends,
}


class Mended(Loader):
    """Loads a module with `loader`, then mends it."""

    def __init__(self, loader: Loader, mend: Mend) -> None:
        self._loader, self._mend = loader, mend

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._mend(module)


class MendingFinder(MetaPathFinder):
    """Finds the modules to mend where they would be found anyway."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        mend = MENDS.get(fullname)
        spec = PathFinder.find_spec(fullname, path, target) if mend else None
        if mend is not None and spec is not None and spec.loader is not None:
            spec.loader = Mended(spec.loader, mend)
        return spec


if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity = stay
sys.meta_path.insert(0, MendingFinder())
