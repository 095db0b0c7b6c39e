from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.chunk_walk import Answer, Walk, walk
from stack.model.chunk import CacheDoubt, Chunk
from stack.model.tier import Tier

CHUNKS = [Chunk("/m", "", bytes([index])) for index in range(7)]
DOUBT = CacheDoubt.STORE_EVICTED


def tier(has: int, then: Answer = False) -> Callable[[Chunk], Answer]:
    """Has the first `has` chunks; of the rest it says `then`."""
    return lambda chunk: True if chunk.name[0] < has else then


def test_l1_then_l2_then_nothing() -> None:
    found = walk(CHUNKS, 256, 2_000, tier(3), tier(5))
    assert found.beyond(0) == (768, 512, ())
    assert found.beyond(300) == (468, 512, ())
    assert found.beyond(1_024) == (0, 256, ())
    assert found.beyond(1_280) == (0, 0, ())


def test_what_the_engine_holds_of_all_whole_chunks_leaves_nothing_open() -> None:
    blind = Walk.blind(2_000, 256, CacheDoubt.CONTROL_SILENT)
    assert blind.beyond(1_792) == (0, 0, ())
    assert blind.beyond(1_728) == (None, None, ((Tier.L1, CacheDoubt.CONTROL_SILENT), (Tier.L2, CacheDoubt.CONTROL_SILENT)))


def test_a_doubtful_l2_leaves_l1_known() -> None:
    assert walk(CHUNKS, 256, 2_000, tier(3), tier(0, DOUBT)).beyond(0) == (768, None, ((Tier.L2, DOUBT),))


def test_a_doubtful_l1_leaves_what_l2_has() -> None:
    found = walk(CHUNKS, 256, 2_000, tier(1, DOUBT), tier(4))
    assert found.beyond(0) == (None, 768, ((Tier.L1, DOUBT),))


def test_no_chunk_follows_a_hole() -> None:
    assert walk(CHUNKS, 256, 2_000, lambda chunk: chunk.name[0] != 2, tier(0)).beyond(0) == (512, 0, ())


def test_the_last_token_of_a_prompt_of_whole_chunks_is_computed() -> None:
    assert walk(CHUNKS, 256, 1_792, tier(7), tier(7)).beyond(0) == (1_791, 0, ())


def test_a_prompt_below_one_chunk_is_never_in_a_tier() -> None:
    assert walk([], 256, 200, tier(7), tier(7)).beyond(0) == (0, 0, ())
    assert Walk.blind(200, 256, DOUBT).beyond(0) == (0, 0, ())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=7), st.integers(0, 2_000))
def test_the_tiers_and_the_engine_share_the_prompt(places: list[tuple[bool, bool]], engine_tokens: int) -> None:
    chunks = CHUNKS[: len(places)]
    found = walk(chunks, 256, 2_000, lambda chunk: places[chunk.name[0]][0], lambda chunk: places[chunk.name[0]][1])
    run = next((index for index, place in enumerate(places) if not any(place)), len(places))
    l1 = sum(max(0, 256 * (index + 1) - max(engine_tokens, 256 * index)) for index in range(run) if places[index][0])
    total = max(0, 256 * run - engine_tokens)
    assert found.beyond(engine_tokens) == (l1, total - l1, ())
