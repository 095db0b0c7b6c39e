from __future__ import annotations

from pathlib import Path

import pytest

from stack.local.cache_making import CacheMaker, resized
from stack.local.engine_making import RefusedError
from stack.local.spec import Spec
from tests.stack.local.test_supervisor import Bench


def test_a_server_is_made_anew_only_where_its_size_differs(tmp_path: Path) -> None:
    asked: list[int] = []

    def make(amount: int) -> Spec:
        asked.append(amount)
        return Bench(tmp_path).spec("lmcache")

    cache = CacheMaker(make, 5)
    assert resized(cache, 5) is None
    spec = resized(cache, 7)
    assert spec is not None
    assert spec.name == "lmcache"
    assert resized(cache, 7) is None
    assert asked == [7]


@pytest.mark.parametrize("amount", [None, 0, -1])
def test_no_size_is_refused(tmp_path: Path, amount: int | None) -> None:
    with pytest.raises(RefusedError, match="give the bytes of L1"):
        resized(CacheMaker(lambda _: Bench(tmp_path).spec("lmcache"), 5), amount)
    with pytest.raises(RefusedError, match="no cache server"):
        resized(None, amount)
