"""Prompts of a wanted length."""

from pathlib import Path

from stack.demo.prompt import counter, text_of


def words(text: str) -> int:
    return len(text.split())


def test_a_prompt_comes_close_to_the_wanted_length_and_never_passes_it() -> None:
    assert 1_980 <= words(text_of(2_000, "one", words)) <= 2_000


def test_two_prompts_differ_from_their_first_words_on() -> None:
    assert text_of(100, "one", words)[:12] != text_of(100, "two", words)[:12]


def test_without_a_tokenizer_a_token_is_taken_for_four_bytes(tmp_path: Path) -> None:
    assert counter(tmp_path)("x" * 400) == 100
