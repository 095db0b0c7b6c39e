import json
from pathlib import Path

import pytest

from stack.engines import lmcache_chunks
from stack.engines.lmcache_chunks import ALGORITHM, chunk_names, knows

pytest.importorskip("blake3")
RECORDED = json.loads((Path(__file__).parents[2] / "data" / "lmcache_reports.json").read_bytes())


def test_chunks_are_named_as_a_real_server_named_them() -> None:
    names = [bytes.fromhex(name) for name in RECORDED["chunk_names"]]
    assert chunk_names(RECORDED["prompt_token_ids"], 256) == names
    assert chunk_names(RECORDED["prompt_token_ids"][:511], 256) == names[:1]
    assert chunk_names(RECORDED["prompt_token_ids"][:255], 256) == []


def test_a_token_that_is_no_token_has_no_name() -> None:
    with pytest.raises(OverflowError):
        chunk_names([2**32] * 256, 256)


def test_another_algorithm_is_not_known() -> None:
    assert (knows(ALGORITHM), knows("sha256_cbor"), knows(None)) == (True, False, False)


def test_without_the_package_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmcache_chunks, "_blake3", lambda: None)
    assert not knows(ALGORITHM)
    with pytest.raises(LookupError):
        chunk_names([1], 1)
