"""The tiers that an LMCache inside an engine is told by its environment."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stack.engines.lmcache_l2 import L2Address
from stack.engines.lmcache_variables import Told, told

DAEMON = L2Address("sagemaker-hyperpod", "$(node_ip)", 9200)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"LMCACHE_CHUNK_SIZE": "256"}, Told(True, ())),
        ({"LMCACHE_LOCAL_CPU": "False", "LMCACHE_REMOTE_URL": ""}, Told(False, ())),
        ({"LMCACHE_LOCAL_CPU": "true", "LMCACHE_REMOTE_URL": "sagemaker-hyperpod://$(NODE_IP):9200"}, Told(True, (DAEMON,))),
        ({"LMCACHE_REMOTE_URL": "redis://:secret@r:6379/0"}, Told(True, (L2Address("redis", "r", 6379),))),
    ],
)
def test_variables_tell_tiers(variables: Mapping[str, str], expected: Told) -> None:
    assert told(variables, []) == expected


@pytest.mark.parametrize(
    ("variables", "connectors", "why"),
    [
        ({}, [], "no LMCACHE_ variable"),
        ({"LMCACHE_CONFIG_FILE": "/c.yaml", "LMCACHE_LOCAL_CPU": "true"}, [], "reads a file"),
        ({"LMCACHE_REMOTE_URL": None}, [], "from elsewhere"),
        ({"LMCACHE_REMOTE_URL": "redis://r"}, [{"kv_connector": "LMCacheMPConnector"}], "a server of its own"),
    ],
)
def test_what_they_cannot_tell_is_unknown_with_its_reason(
    variables: Mapping[str, str | None], connectors: list[Mapping[str, object]], why: str
) -> None:
    found = told(variables, connectors)
    assert (found.l1, found.l2, why in found.unknown) == (None, None, True)


def test_an_address_that_is_none_hides_the_l2_alone() -> None:
    found = told({"LMCACHE_REMOTE_URL": "nowhere"}, [])
    assert (found.l1, found.l2, found.unknown) == (True, None, "LMCACHE_REMOTE_URL is no URL of a host")
