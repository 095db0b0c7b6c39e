import pytest

from stack.emulator.hashing import BlockChain, Lora


def test_hashes_are_those_of_the_real_engine() -> None:
    """Reference values from vLLM 0.32's own functions (sha256_cbor, PYTHONHASHSEED=0)."""
    chain = BlockChain()
    assert [chain.extend(range(64)), chain.extend(range(1000, 1064))] == [10918909127363516282, 9469399542230874081]


def test_a_salt_makes_another_chain() -> None:
    assert BlockChain("tenantA").extend(range(64)) == 13336816688632790678


def test_an_adapter_makes_another_chain_and_another_path_another_adapter() -> None:
    """Reference values as above."""
    chain = BlockChain("t", Lora("sql", "/adapters/sql"))
    assert [chain.extend(range(64)), chain.extend(range(64))] == [1873181979366587302, 12956312562623996171]
    assert BlockChain(None, Lora("sql", "/a")).extend(range(64)) != BlockChain(None, Lora("sql", "/b")).extend(range(64))


def test_a_block_depends_on_what_was_before_it() -> None:
    first, other = BlockChain(), BlockChain()
    first.extend([1])
    other.extend([2])
    assert first.extend([3]) != other.extend([3])


def test_a_token_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(OverflowError):
        BlockChain().extend([1 << 64])
