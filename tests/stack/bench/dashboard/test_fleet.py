"""The fleet to stand before: as few models as control's pools allow, and each engine with a name of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.bench.dashboard.fleet import Member, desired, members, models
from stack.control.state import REPLICAS_MAX
from stack.model.tier import Pool


def test_every_fourth_engine_prefills() -> None:
    assert members(5) == [
        Member(replica="bench-0-prefill-0", pool=Pool.PREFILL, model="bench-0"),
        Member(replica="bench-0-decode-0", pool=Pool.DECODE, model="bench-0"),
        Member(replica="bench-0-decode-1", pool=Pool.DECODE, model="bench-0"),
        Member(replica="bench-0-decode-2", pool=Pool.DECODE, model="bench-0"),
        Member(replica="bench-0-prefill-1", pool=Pool.PREFILL, model="bench-0"),
    ]


def test_one_engine_alone_decodes() -> None:
    (alone,) = members(1)
    assert alone.pool is Pool.DECODE
    assert not desired([alone]).models["bench-0"].dpd.enabled


@given(st.integers(1, 1500))
def test_every_engine_is_one_of_what_control_is_told_of(engines: int) -> None:
    fleet = members(engines)
    assert len({member.replica for member in fleet}) == engines
    pools = [model.pools for model in desired(fleet).models.values()]
    assert sum(pool.prefill.replicas + pool.decode.replicas for pool in pools) == engines
    assert all(0 < pool.decode.replicas <= REPLICAS_MAX and pool.prefill.replicas <= REPLICAS_MAX for pool in pools)


@pytest.mark.parametrize(("engines", "count"), [(64, 1), (65, 2), (1000, 16)])
def test_a_large_fleet_serves_many_models(engines: int, count: int) -> None:
    assert len(models(members(engines))) == count
