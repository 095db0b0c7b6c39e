"""The waterfall's steps, and how they are drawn."""

from dashboard.caching import stairs
from dashboard.caching.stairs import Step
from stack.model.tier import Source


def test_each_step_begins_where_the_one_before_ends_and_the_last_ends_at_all() -> None:
    rates = {Source.COMPUTED: 20.0, Source.ENGINE: 60.0, Source.UNKNOWN: 20.0}
    assert stairs.steps(rates) == [
        Step(Source.ENGINE, 60.0, 0.0, 0.6),
        Step(Source.COMPUTED, 20.0, 0.6, 0.2),
        Step(Source.UNKNOWN, 20.0, 0.8, 0.2),
    ]


def test_without_tokens_there_is_no_step() -> None:
    assert stairs.steps({Source.ENGINE: 0.0, Source.COMPUTED: 0.0}) == []
    assert stairs.steps({}) == []


def test_the_figure_has_all_tokens_first_and_says_amounts_and_shares() -> None:
    bar = stairs.figure(stairs.steps({Source.ENGINE: 750.0, Source.COMPUTED: 250.0})).data[0]
    assert list(bar.y) == [stairs.ALL, "engine", "computed"]
    assert list(bar.text) == ["1,000 tokens/s", "75 % · 750/s", "25 % · 250/s"]
    assert list(bar.base) == [0.0, 0.0, 0.75]


def test_those_who_do_not_see_it_get_a_sentence() -> None:
    assert stairs.words(stairs.steps({Source.ENGINE: 3.0, Source.L2: 1.0})) == "engine 75 %, l2 25 %"
