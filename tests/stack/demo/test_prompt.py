"""Prompts of a wanted length."""

from pathlib import Path

import pytest

from stack.demo.error import DemoError
from stack.demo.prompt import encoder, text_of


def words(text: str) -> int:
    return len(text.split())


def test_a_prompt_comes_close_to_the_wanted_length_and_never_passes_it() -> None:
    assert 1_980 <= words(text_of(2_000, "one", words)) <= 2_000


def test_two_prompts_differ_from_their_first_words_on() -> None:
    assert text_of(100, "one", words)[:12] != text_of(100, "two", words)[:12]


def test_without_its_tokenizer_nobody_knows_where_a_prompt_lies(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match=r"tokenizer\.json is missing"):
        encoder(tmp_path)
