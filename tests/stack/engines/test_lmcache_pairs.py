"""Only pairs that somebody documents are known."""

import pytest

from stack.engines.lmcache_pairs import documented
from stack.engines.versions import version


@pytest.mark.parametrize(
    ("vllm", "lmcache", "known"),
    [
        ("0.11.1", "0.3.9post2", True),
        ("0.19.1", "0.4.3", True),
        ("0.32.0", "0.5.6", True),
        ("0.19.1", "0.3.9post2", False),
        ("0.11.1", "0.4.3", False),
        ("0.18.1", "0.5.6", False),
    ],
)
def test_a_pair_is_known_where_it_is_documented(vllm: str, lmcache: str, known: bool) -> None:
    numbers = version(vllm), version(lmcache)
    assert numbers[0] is not None
    assert numbers[1] is not None
    assert documented(numbers[0], numbers[1]) is known
