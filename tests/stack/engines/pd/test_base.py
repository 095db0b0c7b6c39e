"""Which pools understand each other, and what is said of those that do not."""

from __future__ import annotations

import pytest

from stack.engines.pd.base import canonical, create, link, names
from stack.registry import UnknownNameError

SPOKEN = ("multi", "nixl")


def test_every_protocol_goes_by_the_name_it_is_registered_by() -> None:
    assert {name: create(name).name for name in names()} == {name: name for name in names()}
    assert tuple(name for name in names() if create(name).speaker is not None) == SPOKEN


@pytest.mark.parametrize("name", names())
def test_a_protocol_that_is_not_spoken_is_refused_by_its_name(name: str) -> None:
    refusal = None if name in SPOKEN else f"{name}_unsupported"
    assert (link(name, name).refusal, link(None, name).refusal, link(name, None).refusal) == (refusal,) * 3


def test_pools_with_and_without_tiers_behind_nixl_understand_each_other() -> None:
    assert [link(*pair).refusal for pair in ((None, None), ("nixl", "multi"), ("multi", "nixl"))] == [None] * 3


@pytest.mark.parametrize(
    ("name", "own"),
    [("MultiConnector", "multi"), ("NixlPullConnector", "nixl"), ("LMCacheConnectorV1", "lmcache"), ("nixl", "nixl"), ("x", "x")],
)
def test_an_engines_name_of_its_connector_will_do(name: str, own: str) -> None:
    assert canonical(name) == own


def test_an_unknown_protocol_is_loud() -> None:
    with pytest.raises(UnknownNameError, match="known: lmcache, mooncake, moriio, multi, nixl, nixl_push, p2p"):
        link("carrier_pigeon", None)
