"""Whose KV a key of the store holds."""

import pytest

from stack.engines.lmcache_keys import model_of

HASH = "6a" * 32


@pytest.mark.parametrize(
    ("key", "model"),
    [
        (f"/models/qwen@02020100@0@{HASH}", "/models/qwen"),
        (f"/models/qwen@02020100@0@{HASH}@tenant-1", "/models/qwen"),
        (f"fleet-a@/models/qwen@02020100@1f@{HASH}", "/models/qwen"),
        (f"fleet@a@Qwen/Qwen2.5@02020100@0@{HASH}@tenant-1", "Qwen/Qwen2.5"),
        ("Qwen/Qwen2.5@2@1@6a6b@bfloat16", "Qwen/Qwen2.5"),
        ("Qwen/Qwen2.5@1@0@-6a6b@halfkv_bytes", "Qwen/Qwen2.5"),
        ("Qwen/Qwen2.5@1@0@6a6b@fp8_e4m3fnmetadata", "Qwen/Qwen2.5"),
        ("Qwen/Qwen2.5@1@0@6a6b@half@17@tenant%one", "Qwen/Qwen2.5"),
        ("session:1234", None),
        ("", None),
        ("a@b@c@d@e", None),
        (f"@02020100@0@{HASH}", None),
    ],
)
def test_a_key_tells_its_model_or_is_not_lmcaches(key: str, model: str | None) -> None:
    assert model_of(key.encode()) == model


def test_a_key_that_is_no_text_is_not_lmcaches() -> None:
    assert model_of(b"\xff\x00") is None
