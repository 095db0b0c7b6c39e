"""What is in flight counts, and only as long as it is."""

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.under_way import UnderWay


def test_an_engine_at_work_on_a_beginning_is_found_by_it() -> None:
    under_way = UnderWay()
    under_way.sent("a", (1, 2, 3))
    under_way.sent("a", (1, 2))
    under_way.sent("b", (1,))
    assert under_way.matched((1, 2, 9)) == {"a": 2, "b": 1}
    under_way.over("a", (1, 2, 3))
    assert under_way.matched((1, 2, 3)) == {"a": 2, "b": 1}
    under_way.over("a", (1, 2))
    under_way.over("b", (1,))
    assert under_way.matched((1, 2, 3)) == {}


@given(st.lists(st.lists(st.integers(0, 4), max_size=4).map(tuple), max_size=8))
def test_when_all_is_over_nothing_is_left(prompts: list[tuple[int, ...]]) -> None:
    under_way = UnderWay()
    for prompt in prompts:
        under_way.sent("a", prompt)
    for prompt in reversed(prompts):
        under_way.over("a", prompt)
    assert under_way.matched((0,)) == {}
