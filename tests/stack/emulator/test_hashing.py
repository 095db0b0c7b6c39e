import pytest

from stack.emulator.hashing import BlockChain


def test_hashes_are_those_of_the_real_engine() -> None:
    """Reference values from vLLM 0.32's own functions (sha256_cbor, PYTHONHASHSEED=0)."""
    chain = BlockChain()
    assert [chain.extend(range(64)), chain.extend(range(1000, 1064))] == [10918909127363516282, 9469399542230874081]


def test_a_salt_makes_another_chain() -> None:
    assert BlockChain("tenantA").extend(range(64)) == 13336816688632790678


def test_a_block_depends_on_what_was_before_it() -> None:
    first, other = BlockChain(), BlockChain()
    first.extend([1])
    other.extend([2])
    assert first.extend([3]) != other.extend([3])


def test_a_token_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(OverflowError):
        BlockChain().extend([1 << 64])
