"""What is remembered of the blocks an engine described last."""

from __future__ import annotations

from stack.cache.lineage import Lineage


def test_a_line_goes_back_as_far_as_is_asked_or_known() -> None:
    lineage = Lineage()
    for depth, name in enumerate("abcd"):
        lineage.note(ord(name), depth + 10, ord(name) - 1 if depth else None, depth)
    assert [name for name, _ in lineage.line(ord("d"), 2)] == [ord("d"), ord("c")]
    assert [block for _, block in lineage.line(ord("d"), 9)] == [13, 12, 11, 10]
    assert (lineage.block(ord("c")), lineage.depth(ord("c"))) == (12, 2)
    assert (lineage.block(1), lineage.depth(1), lineage.line(1, 3)) == (None, None, [])


def test_the_oldest_are_forgotten_and_no_less_than_half_is_kept() -> None:
    lineage = Lineage(limit=4)
    for name in range(7):
        lineage.note(name, name, None, 0)
    assert [name for name in range(7) if lineage.block(name) is not None] == [4, 5, 6]
