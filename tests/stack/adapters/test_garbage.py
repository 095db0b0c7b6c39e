from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import gc
from stack.adapters.garbage import settle
settle()
kept = [[] for _ in range(40_000)]
print(gc.get_freeze_count() > 1000, gc.get_threshold(), sum(each["collections"] for each in gc.get_stats()[1:]))
"""


def test_what_is_there_stays_and_what_comes_is_looked_at_rarely() -> None:
    said = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True).stdout
    assert said.startswith("True (50000, 20, 100)")
