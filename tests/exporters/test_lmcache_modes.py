"""The whole exporter over LMCache in every mode: recorded where there are recordings, synthetic where there are none."""

from pathlib import Path

from stack.engines import lmcache_quantities as lq
from tests.alerts.promtool import faults_of
from tests.exporters import synthetic_lmcache
from tests.exporters.recorded import Hosts, exposition, target
from tests.exporters.test_app import EXPECTED, exporter

EVERY_MODE = EXPECTED / "lmcache-in-every-mode.txt"
LMCACHES = ("today", "old", "api-server", "controller", "coordinator", "silent")


def every_mode() -> Hosts:
    """An engine with LMCache inside, one LMCache of each mode, and servers of the newest and the oldest names."""
    hosts = Hosts()
    hosts.engine("inside", exposition("vllm-0.32-plain") + synthetic_lmcache.exposition(lq.IN_PROCESS, (0, 5, 6)))
    hosts.lmcache("today", synthetic_lmcache.exposition(lq.MULTI_PROCESS, (0, 5, 6)))
    hosts.lmcache("old", synthetic_lmcache.exposition(lq.MULTI_PROCESS, (0, 4, 3)))
    hosts.lmcache("api-server", synthetic_lmcache.exposition(lq.IN_PROCESS, (0, 3, 9)))
    hosts.lmcache("controller", synthetic_lmcache.exposition(lq.CONTROLLER, (0, 5, 6)))
    hosts.lmcache("coordinator", synthetic_lmcache.exposition(lq.COORDINATOR, (0, 5, 6)))
    hosts.lmcache("silent", b"process_start_time_seconds 1\n")
    return hosts


async def test_the_exposition_of_lmcache_in_every_mode_is_exactly_this(tmp_path: Path) -> None:
    async with exporter(tmp_path, every_mode(), lmcache=LMCACHES, fleet=[target("inside")]) as one:
        assert await one.text() == EVERY_MODE.read_text()


def test_promtool_finds_no_fault_in_it() -> None:
    assert faults_of(EVERY_MODE.read_text()) == ""
