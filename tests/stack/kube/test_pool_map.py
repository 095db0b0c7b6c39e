"""The section of the configuration that says which workload runs which pool."""

from __future__ import annotations

from typing import Any

import pytest

from stack.kube.pool_map import PoolMapError, PoolWorkload, pool_map
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool


def test_a_pool_runs_as_a_deployment_of_the_namespace_unless_it_says_otherwise() -> None:
    section = {"pools": {"m": {"prefill": {"kind": "StatefulSet", "name": "p", "namespace": "other"}, "decode": {"name": "d"}}}}
    assert pool_map(section, "serving") == (
        PoolWorkload("m", Pool.PREFILL, WorkloadKind.STATEFUL_SET, "other", "p"),
        PoolWorkload("m", Pool.DECODE, WorkloadKind.DEPLOYMENT, "serving", "d"),
    )


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"m": {"prefill": {"name": "p"}}}, "missing required field `decode`"),
        ({"m": {"decode": {"name": "d", "kind": "DaemonSet"}}}, "Invalid enum value 'DaemonSet'"),
        ({"m": {"decode": {"name": "../d"}}}, "matching regex"),
        ({"m": {"decode": {"name": "d", "replicas": 2}}}, "unknown field `replicas`"),
        ({"m": {"decode": {"name": "d"}, "prefill": {"name": "d"}}}, "one workload cannot run two pools"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_field(models: dict[str, Any], message: str) -> None:
    with pytest.raises(PoolMapError, match=message):
        pool_map({"pools": models}, "serving")
