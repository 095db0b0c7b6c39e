"""Prompts by their length, in steps that are even on a logarithmic scale."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.control.prompt_lengths import LengthBin, lengths, scale
from stack.control.state import THRESHOLD_MAX


def test_bins_begin_at_zero_and_double_in_four_steps() -> None:
    assert scale()[:7] == (0, 64, 76, 91, 108, 128, 152)
    assert scale()[-2] < THRESHOLD_MAX <= scale()[-1]


def test_only_what_holds_prompts_is_told_and_cuts_begin_a_bin() -> None:
    assert lengths([(10, False), (130, True), (140, None), (151, False)], {0, 140}) == (
        LengthBin(least=0, below=64, requests=1, held=0, unsure=0),
        LengthBin(least=128, below=140, requests=1, held=1, unsure=0),
        LengthBin(least=140, below=152, requests=2, held=0, unsure=1),
    )
    assert lengths([]) == ()


@given(st.lists(st.tuples(st.integers(0, 2 * THRESHOLD_MAX), st.sampled_from([True, False, None]))))
def test_every_prompt_is_in_the_bin_of_its_length(prompts: list[tuple[int, bool | None]]) -> None:
    bins = lengths(prompts)
    assert sum(one.requests for one in bins) == len(prompts)
    for one in bins:
        assert one.requests == sum(
            one.least <= tokens < one.below or one.below >= 2 * THRESHOLD_MAX <= tokens for tokens, _ in prompts
        )
