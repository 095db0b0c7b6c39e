import pytest

from stack.emulator.pool import BlockPool, OutOfBlocksError


def filled(pool: BlockPool, hashes: list[int]) -> list[int]:
    blocks, _ = pool.allocate(len(hashes))
    for block, block_hash in zip(blocks, hashes, strict=True):
        pool.publish(block, block_hash)
    return blocks


def test_a_freed_block_is_found_until_it_is_reused() -> None:
    pool = BlockPool(5)
    pool.release(filled(pool, [1, 2, 3, 4]))
    assert pool.cached_prefix([1, 2, 3, 4, 5]) == 4
    assert pool.used_ratio == 0.0


def test_a_prompts_tail_is_evicted_before_its_head() -> None:
    pool = BlockPool(5)
    pool.release(filled(pool, [1, 2, 3, 4]))
    assert pool.allocate(2)[1] == [4, 3]
    assert pool.cached_prefix([1, 2, 3, 4]) == 2


def test_the_least_recently_used_prompt_goes_first() -> None:
    pool = BlockPool(5)
    pool.release(filled(pool, [1, 2]))
    pool.release(filled(pool, [8, 9]))
    pool.release(pool.reuse([1, 2]))
    assert pool.allocate(2)[1] == [9, 8]


def test_referenced_blocks_are_never_evicted() -> None:
    pool = BlockPool(5)
    filled(pool, [1, 2, 3])
    with pytest.raises(OutOfBlocksError):
        pool.allocate(2)
    assert pool.free == 1


def test_a_shared_block_is_free_after_its_last_reader() -> None:
    pool = BlockPool(3)
    blocks = filled(pool, [1, 2])
    again = pool.reuse([1, 2])
    pool.release(blocks)
    assert (again, pool.free) == (blocks, 0)
    pool.release(again)
    assert pool.free == 2


def test_an_equal_block_is_published_once() -> None:
    pool = BlockPool(4)
    filled(pool, [1])
    (twin,), _ = pool.allocate(1)
    assert not pool.publish(twin, 1)
    pool.release([twin])
    assert pool.allocate(1) == ([3], [])  # fresh memory before anything that was used


def test_a_block_without_contents_is_reused_before_one_with() -> None:
    pool = BlockPool(4)
    pool.release(filled(pool, [1, 2]))
    (empty,), _ = pool.allocate(1)
    pool.release([empty])
    assert pool.allocate(1) == ([empty], [])


def test_the_null_block_is_not_for_use() -> None:
    assert BlockPool(74).capacity == 73
