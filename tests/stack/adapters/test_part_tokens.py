"""The same tokens as by tokenizing the whole, at the price of what is new."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from stack.adapters import part_tokens
from stack.adapters.part_tokens import BATCH_CHARACTERS, PART_CHARACTERS, NobodyWaitsError, PartTokenizer
from stack.model.placement import PlacementUnknownError
from tests.stack.adapters.small_tokenizers import KINDS

MEGABYTE = 1 << 20


@cache
def tokenizer(kind: str) -> Tokenizer:
    return KINDS[kind]()


def computed(parts: PartTokenizer, text: str) -> tuple[list[int], int]:
    """A text's tokens, and how many of them had to be computed."""
    before = parts.computed_tokens
    tokens = parts.tokens(parts.draft(text)).tolist()
    return tokens, parts.computed_tokens - before


WORDS = st.lists(
    st.sampled_from(["the fox ", "dogs.\n", "東京", "<|im_end|>", "it's", "  ", "12345 ", "x" * 400]), max_size=60
).map("".join)


@pytest.mark.parametrize("kind", ["llama3", "gemma", "unigram", "llama2_legacy"])
@given(texts=st.lists(WORDS, min_size=1, max_size=4), at=st.integers(0, 5000), tail=WORDS)
def test_whatever_was_seen_before_the_tokens_are_the_whole_s(kind: str, texts: list[str], at: int, tail: str) -> None:
    parts = PartTokenizer(tokenizer(kind), 20_000)
    for text in [*texts, texts[0], texts[0][:at] + tail]:
        assert computed(parts, text)[0] == tokenizer(kind).encode(text, add_special_tokens=False).ids


def test_a_conversation_that_grows_costs_its_tail() -> None:
    parts = PartTokenizer(tokenizer("llama3"), MEGABYTE)
    turn = "<|im_start|>" + "the quick brown fox " * 100
    history = ""
    costs = []
    for _ in range(5):
        history += turn
        tokens, cost = computed(parts, history)
        costs.append(cost)
    assert len(tokens) > 1500
    assert max(costs[1:]) < 2 * costs[0]


def test_a_text_seen_before_costs_nothing() -> None:
    parts = PartTokenizer(tokenizer("gemma"), MEGABYTE)
    tokens, cost = computed(parts, "the fox " * 1000)
    assert cost == len(tokens)
    assert computed(parts, "the fox " * 1000) == (tokens, 0)
    assert (parts.cached_tokens, parts.computed_tokens) == (len(tokens), len(tokens))


def test_a_draft_tells_how_much_is_missing() -> None:
    parts = PartTokenizer(tokenizer("llama3"), MEGABYTE)
    text = "the fox " * 1000
    assert parts.draft(text).missing == 8000
    computed(parts, text)
    assert parts.draft(text).missing == 0
    assert 0 < parts.draft(text + "and the dog").missing <= PART_CHARACTERS + 20


def test_what_another_thread_tokenized_meanwhile_is_not_done_again() -> None:
    parts = PartTokenizer(tokenizer("llama3"), MEGABYTE)
    one, other = parts.draft("the fox " * 1000), parts.draft("the fox " * 1000)
    assert parts.tokens(one) == parts.tokens(other)
    assert parts.cached_tokens == parts.computed_tokens


def test_it_is_broken_off_when_nobody_waits_and_what_was_done_is_kept() -> None:
    parts = PartTokenizer(tokenizer("llama3"), MEGABYTE)
    text = "the fox " * (3 * BATCH_CHARACTERS // 8)
    left = iter([True, False])
    with pytest.raises(NobodyWaitsError):
        parts.tokens(parts.draft(text), lambda: next(left))
    assert parts.draft(text).missing < len(text) - BATCH_CHARACTERS // 2


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(PlacementUnknownError, match="unsupported_content"):
        PartTokenizer(tokenizer("llama3"), MEGABYTE).draft("\ud800")


def test_no_text_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = PartTokenizer(tokenizer("llama3"), MEGABYTE)
    monkeypatch.setattr(part_tokens, "PART_CHARACTERS", 8)
    computed(parts, "a secret word of mine")
    assert b"secret" not in repr(vars(parts.cache)).encode()
