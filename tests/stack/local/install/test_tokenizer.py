"""The tokenizer made from a GGUF header."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from stack.local.install.model_header import HeaderError
from stack.local.install.tokenizer import write_tokenizer
from tests.stack.local.install.gguf_file import HEADER, TEMPLATE, TOKENS, write_gguf


def _tokens(tmp_path: Path, text: str) -> list[str]:
    write_tokenizer(write_gguf(tmp_path / "a.gguf"), tmp_path)
    encoding: list[str] = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode(text).tokens
    return encoding


def test_text_is_merged_and_digits_stay_single(tmp_path: Path) -> None:
    assert _tokens(tmp_path, "hello hello123") == ["hello", "Ġhello", "1", "2", "3"]


def test_control_tokens_in_text_are_one_token_each(tmp_path: Path) -> None:
    assert _tokens(tmp_path, "<|im_start|>hello<|im_end|>") == ["<|im_start|>", "hello", "<|im_end|>"]


def test_token_ids_are_the_models_and_decode_to_the_text(tmp_path: Path) -> None:
    _tokens(tmp_path, "")
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ids = tokenizer.encode("hello hello 2").ids
    assert ids == [TOKENS.index(token) for token in ("hello", "Ġhello", "Ġ", "2")]
    assert tokenizer.decode(ids) == "hello hello 2"


def test_the_configuration_has_the_chat_template_and_the_named_tokens(tmp_path: Path) -> None:
    write_tokenizer(write_gguf(tmp_path / "a.gguf"), tmp_path)
    assert json.loads((tmp_path / "tokenizer_config.json").read_text()) == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 8192,
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "unk_token": "<|endoftext|>",
        "pad_token": "<|im_end|>",
        "chat_template": TEMPLATE,
    }


def test_another_family_is_refused(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "a.gguf", {**HEADER, "tokenizer.ggml.pre": "llama-bpe"})
    with pytest.raises(HeaderError, match="tokenizer gpt2/llama-bpe; known: gpt2/smollm"):
        write_tokenizer(source, tmp_path)


def test_a_header_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeaderError, match=r"missing required field `tokenizer\.ggml\.model`"):
        write_tokenizer(write_gguf(tmp_path / "a.gguf", {"general.architecture": "llama"}), tmp_path)
