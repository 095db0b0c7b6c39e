"""The mending is proved in fresh interpreters, as engines are."""

import os
import subprocess
import sys
from pathlib import Path

from stack.local import engine_launch

SITE = Path(engine_launch.__file__).parent / "engine_site"


def ran(code: str, folder: Path) -> str:
    path = os.pathsep.join([str(SITE), str(folder)])
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, text=True
    ).stdout


def module(folder: Path, name: str, text: str) -> None:
    path = folder.joinpath(*name.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    for parent in path.relative_to(folder).parents:
        (folder / parent / "__init__.py").touch()


def test_an_agent_that_would_poll_for_ever_sleeps_between_polls(tmp_path: Path) -> None:
    bindings = "class nixlAgent:\n    def __init__(self, name, config):\n        self.name, self.delay = name, config.pthrDelay\n"
    module(tmp_path, "nixl_cu12._bindings", bindings)
    code = (
        "from types import SimpleNamespace as C; import nixl_cu12._bindings as b; "
        "print([b.nixlAgent('a', C(pthrDelay=delay)).delay for delay in (0, 50)])"
    )
    assert ran(code, tmp_path) == "[1000, 50]\n"


def test_a_store_without_an_answer_stores_nothing(tmp_path: Path) -> None:
    module(
        tmp_path,
        "lmcache.v1.multiprocess.transfer_context.shm",
        "class LMCacheTimeoutError(Exception): pass\n"
        "class EngineDrivenContextShm:\n"
        "    def prepare_store(self, key, instance_id):\n"
        "        if key == 'lost': raise LMCacheTimeoutError\n"
        "        return key, instance_id\n",
    )
    code = (
        "from lmcache.v1.multiprocess.transfer_context.shm import EngineDrivenContextShm as E; "
        "print(E().prepare_store('kept', 1), E().prepare_store('lost', 1))"
    )
    assert ran(code, tmp_path) == "('kept', 1) ([], [])\n"


def test_an_engine_watches_the_cache_server_from_its_registration_on(tmp_path: Path) -> None:
    module(
        tmp_path,
        "lmcache.integration.vllm.vllm_multi_process_adapter",
        "class LMCacheMPWorkerAdapter:\n"
        "    def register_kv_caches(self, caches, layout_hints=None): print('registers', caches, layout_hints)\n"
        "    def _ensure_heartbeat_started(self): print('watches')\n",
    )
    code = (
        "from lmcache.integration.vllm.vllm_multi_process_adapter import LMCacheMPWorkerAdapter as A; "
        "A().register_kv_caches('caches', layout_hints='hints')"
    )
    assert ran(code, tmp_path) == "registers caches hints\nwatches\n"


SCHEDULER = """
import logging
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

logger = logging.getLogger(__name__)

class RequestStatus(Enum):
    WAITING_FOR_REMOTE_KVS = 1
    RUNNING = 2
    FINISHED = 3

@dataclass
class Output:
    finished_sending: set | None = None
    finished_recving: set | None = None

class Scheduler:
    def __init__(self, **requests):
        self.requests = {
            name: SimpleNamespace(status=status, is_finished=lambda status=status: status == RequestStatus.FINISHED)
            for name, status in requests.items()
        }
        self.told, self.recalled = [], []
        self.connector = SimpleNamespace(update_connector_output=lambda output: self.told.append(
            (sorted(output.finished_recving or ()), sorted(output.finished_sending or ()))
        ))

    def _update_from_kv_xfer_finished(self, output):
        self.connector.update_connector_output(output)
        for name in output.finished_recving or ():
            assert name in self.requests
            if self.requests[name].status == RequestStatus.WAITING_FOR_REMOTE_KVS:
                self.recalled.append(name)
            else:
                self._free_blocks(name)
        for name in output.finished_sending or ():
            assert name in self.requests
            self._free_blocks(name)

    def _free_blocks(self, name):
        assert self.requests.pop(name).is_finished()
"""


def test_an_engine_outlives_the_ends_of_transfers_whose_request_is_gone(tmp_path: Path) -> None:
    module(tmp_path, "vllm.v1.core.sched.scheduler", SCHEDULER)
    code = """
from vllm.v1.core.sched.scheduler import Output, RequestStatus as R, Scheduler
s = Scheduler(waits=R.WAITING_FOR_REMOTE_KVS, runs=R.RUNNING, both=R.FINISHED, sent=R.FINISHED)
s._update_from_kv_xfer_finished(Output({"gone", "both", "sent", "runs"}, {"waits", "both", "runs"}))
print(sorted(s.requests), s.recalled, s.told)
s._update_from_kv_xfer_finished(Output())
s._update_from_kv_xfer_finished(Output(None, {"waits"}))
print(s.told[2:])
"""
    assert ran(code, tmp_path).splitlines() == [
        "['runs', 'waits'] ['waits'] [(['runs'], ['both', 'gone', 'runs']), (['both', 'waits'], ['sent'])]",
        "[([], []), (['waits'], [])]",
    ]


def test_an_engine_stays_on_its_cores(tmp_path: Path) -> None:
    code = "import os; before = os.sched_getaffinity(0); os.sched_setaffinity(0, {0}); print(os.sched_getaffinity(0) == before)"
    assert ran(code, tmp_path) == "True\n"


def test_the_launcher_becomes_the_server_and_passes_the_mending_on(tmp_path: Path) -> None:
    module(
        tmp_path,
        "vllm.entrypoints.openai.api_server",
        "import os, sys\nprint(sys.argv[1:], os.environ['PYTHONPATH'].split(os.pathsep)[0], 'sitecustomize' in sys.modules)\n",
    )
    done = subprocess.run(
        [sys.executable, engine_launch.__file__, "--model", "m"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"['--model', 'm'] {SITE} True\n"
