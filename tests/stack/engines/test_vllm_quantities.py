"""Every inspected version of vLLM tells every quantity it has, under whatever name."""

import pytest

from stack.adapters.exposition import parse
from stack.engines.quantities import Alias, Quantity, State, resolve
from stack.engines.samples import Histogram, Samples
from stack.engines.versions import Version, text
from stack.engines.vllm import WANTED
from stack.engines.vllm_quantities import ITL, KV_USED, LOADED_BYTES, LOOKED_UP, NIXL_LATE, QUANTITIES
from tests.exporters.synthetic import BLOCK_TOKENS, amount, exposition, has, spans, versions

ALIASES = [(quantity, alias) for quantity in QUANTITIES for alias in quantity.aliases]


def samples(version: Version, *, hidden: bool = True) -> Samples:
    return parse(exposition(version, hidden=hidden), WANTED)


@pytest.mark.parametrize(("quantity", "alias"), ALIASES, ids=lambda value: getattr(value, "name", ""))
def test_a_name_is_there_when_the_released_wheels_have_it(quantity: Quantity, alias: Alias) -> None:
    name = alias.name.removesuffix("_sum")
    first, last = spans()[name]
    assert alias.since >= first
    assert alias.until is None or alias.until > first
    if alias.until is None:
        assert last == versions()[-1]


@pytest.mark.parametrize("version", versions(), ids=text)
def test_every_quantity_a_version_has_is_told_in_its_unit(version: Version) -> None:
    found = samples(version)
    for quantity in QUANTITIES:
        one = resolve(quantity, found, version, BLOCK_TOKENS)
        told = any(has(alias, version) for alias in quantity.aliases)
        assert (one.value is not None) is told, (quantity.name, one)
        if told:
            value = one.value.sum if isinstance(one.value, Histogram) else one.value
            assert value == amount(quantity), quantity.name
            assert one.state in {State.PRESENT, State.RENAMED}
        else:
            there = any(alias.of(version) for alias in quantity.aliases)
            assert one.state is (State.NOT_APPLICABLE if there and quantity.featured else State.ABSENT)
            assert one.reason


def test_the_newest_name_is_present_and_an_older_one_renamed() -> None:
    assert [resolve(KV_USED, samples(version), version).state for version in ((0, 8, 5), (0, 9, 2), (0, 33, 0))] == [
        State.RENAMED, State.PRESENT, State.PRESENT,
    ]  # fmt: skip


def test_blocks_are_no_tokens_where_their_size_or_the_version_is_not_known() -> None:
    ancient = samples((0, 8, 5))
    assert resolve(LOOKED_UP, ancient, (0, 8, 5), 16.0).value == amount(LOOKED_UP)
    assert resolve(LOOKED_UP, ancient, (0, 8, 5), None).reason == "counted in blocks whose size is not known"
    assert resolve(LOOKED_UP, ancient, None, 16.0).reason == "blocks or tokens: the version is not known"


def test_what_needs_a_flag_is_hidden_and_not_absent() -> None:
    only_old = Quantity(ITL.name, ITL.unit, ITL.fold, ITL.aliases[1:])
    found = resolve(only_old, samples((0, 12, 0), hidden=False), (0, 12, 0))
    assert (found.state, found.reason) == (
        State.HIDDEN, "vllm:time_per_output_token_seconds needs --show-hidden-metrics-for-version",
    )  # fmt: skip


def test_what_a_version_lacks_says_since_when_it_is_there() -> None:
    assert resolve(NIXL_LATE, samples((0, 20, 2)), (0, 20, 2)).reason == (
        "0.20.2 does not have it; versions from 0.32.0 on do"
    )  # fmt: skip
    gone = Quantity("x", ITL.unit, ITL.fold, ITL.aliases[1:])
    assert resolve(gone, samples((0, 33, 0)), (0, 33, 0)).reason == "0.33.0 does not have it any more"


def test_what_a_feature_would_tell_names_the_feature() -> None:
    assert resolve(LOADED_BYTES, Samples([]), (0, 33, 0)).reason == "counted with native KV offloading only"
    assert resolve(LOADED_BYTES, Samples([]), (0, 33, 0)).state is State.NOT_APPLICABLE
    assert resolve(LOADED_BYTES, Samples([]), (0, 9, 2)).state is State.ABSENT
    assert resolve(LOADED_BYTES, Samples([]), None).reason == "counted with native KV offloading only"
