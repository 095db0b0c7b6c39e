"""RFC 7396, by its own test cases."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.control.merge import DEPTH_MAX, merge, too_deep

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_appendix_of_the_rfc_holds(target: object, patch: object, result: object) -> None:
    assert merge(target, patch) == result


@given(JSON, JSON)
def test_merging_twice_is_merging_once_and_inputs_stay(target: object, patch: object) -> None:
    before = copy.deepcopy((target, patch))
    once = merge(target, patch)
    assert merge(once, patch) == once
    assert (target, patch) == before


def test_depth_is_measured_without_recursion() -> None:
    document: object = 1
    for _ in range(100_000):
        document = [document]
    assert too_deep(document)
    assert not too_deep({"a": {"b": [1, 2, {"c": 3}]}})
    assert too_deep([[1]], limit=1)
    assert DEPTH_MAX > 5
