"""Several exporters share a fleet: each target is one's, and nothing is counted twice."""

from hypothesis import given
from hypothesis import strategies as st

from exporters.shard import WHOLE, Shard, unshared
from stack.engines.lmcache import TierHits
from tests.exporters.recorded import target

NAMES = [f"decode-{number}" for number in range(300)]
HITS = {"/models/smollm2": TierHits(10.0, 4.0, 1.0)}


def split(count: int) -> list[set[str]]:
    return [set(Shard(index, count).mine(NAMES, ())) for index in range(count)]


@given(st.lists(st.text(), unique=True), st.integers(1, 9))
def test_every_target_is_exactly_ones(names: list[str], count: int) -> None:
    assert sorted(name for index in range(count) for name in Shard(index, count).mine(names, ())) == sorted(names)


def test_parts_are_about_even_and_their_order_is_the_fleets() -> None:
    assert all(70 <= len(part) <= 130 for part in split(3))
    assert WHOLE.mine(NAMES, ()) == NAMES


def test_one_exporter_more_takes_only_its_own_share() -> None:
    before, after = split(3), split(4)
    assert [part - after[3] for part in before] == after[:3]


def test_an_engine_goes_with_the_cache_server_it_is_listed_with() -> None:
    fleet = [target(name, cache_server="lmcache-0") for name in NAMES[:20]]
    parts = [Shard(index, 4).mine(["lmcache-0", *NAMES[:20]], fleet) for index in range(4)]
    assert sorted(len(part) for part in parts) == [0, 0, 0, 21]


def test_hits_are_split_only_where_all_engines_behind_them_are_ones_own() -> None:
    apart = [target(name) for name in NAMES[:20]]
    together = [target(name, cache_server="l") for name in NAMES[:20]]
    elsewhere = [target(name, cache_server="another") for name in NAMES[:20]]
    of_another = [target(name, model_root="/models/another") for name in NAMES[:20]]
    untold = [target(name, model_root="") for name in NAMES[:20]]
    fleets = {"apart": apart, "elsewhere": elsewhere, "of another model": of_another, "untold": untold}
    found = {name: unshared("l", HITS, Shard(0, 2).others(fleet)) for name, fleet in fleets.items()}
    assert found == {"apart": {}, "elsewhere": HITS, "of another model": HITS, "untold": {}}
    owner = next(index for index in range(2) if Shard(index, 2).mine(["l"], ()))
    assert unshared("l", HITS, Shard(owner, 2).others(together)) == HITS
    assert unshared("l", HITS, WHOLE.others(apart)) == HITS
