"""Writes small GGUF files: a header like the model's, with a vocabulary of a few tokens."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *"helo123", "Ġ", "he", "ll", "hell", "hello", "Ġhello"]
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ hello"]
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
HEADER: Mapping[str, object] = {
    "general.architecture": "llama",
    "llama.context_length": 8192,
    "llama.rope.freq_base": 100000.5,
    "tokenizer.ggml.add_bos_token": False,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.token_type": [3, 3, 3] + [1] * (len(TOKENS) - 3),
    "tokenizer.ggml.merges": MERGES,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.padding_token_id": 2,
    "tokenizer.chat_template": TEMPLATE,
}


def write_gguf(path: Path, header: Mapping[str, object] = HEADER) -> Path:
    """A GGUF file with this header and no tensor."""
    items = b"".join(_string(key) + _value(value) for key, value in header.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(header)) + items)
    return path


def _value(value: object) -> bytes:
    kind, data = _typed(value)
    return struct.pack("<I", kind) + data


def _typed(value: object) -> tuple[int, bytes]:
    match value:
        case bool():
            return 7, struct.pack("<?", value)
        case int():
            return 4, struct.pack("<I", value)
        case float():
            return 6, struct.pack("<f", value)
        case str():
            return 8, _string(value)
        case list():
            kinds = [_typed(item) for item in value]
            return 9, struct.pack("<IQ", kinds[0][0], len(kinds)) + b"".join(data for _, data in kinds)
    raise TypeError(type(value))


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
