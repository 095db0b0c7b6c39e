import os
import subprocess
import sys
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import pytest

from stack.local import segments

pytestmark = pytest.mark.skipif(not segments.SHARED_MEMORY.is_dir(), reason="no /dev/shm here")

# The resource tracker would tidy up; an engine that is killed together with its tracker leaves all this behind.
LEAVING = """
import multiprocessing, sys
from multiprocessing import resource_tracker, shared_memory
resource_tracker.register = lambda *_: None
segment = shared_memory.SharedMemory(name=sys.argv[1], create=True, size=64)
lock = multiprocessing.get_context("spawn").Lock()
print(lock._semlock.name, flush=True)
input()
import os; os._exit(1)
"""


def test_segments_are_found_while_mapped_and_removed_once_nobody_maps_them() -> None:
    name = f"kvdeck_test_{os.getpid()}"
    child = subprocess.Popen([sys.executable, "-c", LEAVING, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    semaphore = f"sem.{child.stdout.readline().decode().strip().lstrip('/')}"
    both = frozenset({name, semaphore})
    assert segments.mapped([child.pid]) == both
    segments.remove(both)
    assert all((segments.SHARED_MEMORY / one).exists() for one in both)  # still mapped: not a leftover
    child.communicate(b"\n")
    segments.remove(both | {"kvdeck_test_never_there"})
    assert not any((segments.SHARED_MEMORY / one).exists() for one in both)


def test_our_own_mapping_counts_as_living() -> None:
    segment = SharedMemory(create=True, size=64)
    name = Path(segment.name).name
    segments.remove({name})
    assert (segments.SHARED_MEMORY / name).exists()
    segment.close()
    segment.unlink()


def test_processes_that_are_gone_map_nothing() -> None:
    assert segments.mapped([2**22 + 1]) == frozenset()
