from pathlib import Path

import pytest

from stack.engines.lmcache_events import CacheEventFormatError
from stack.engines.lmcache_status import ServerStatus, read


def test_a_real_servers_status() -> None:
    document = (Path(__file__).parents[2] / "data" / "lmcache_status.json").read_bytes()
    assert read(document) == ServerStatus(
        chunk_tokens=256, algorithm="blake3", objects=16, dropped=0,
        l1_bytes=536_870_912, l1_used_bytes=188_743_680, isolated=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "document", [b"", b"[]", b'{"error": "engine not initialized"}', b'{"chunk_size": 0, "hash_algorithm": "x"}']
)
def test_what_is_no_status_is_refused(document: bytes) -> None:
    with pytest.raises(CacheEventFormatError):
        read(document)
