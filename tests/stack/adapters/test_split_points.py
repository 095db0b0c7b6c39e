"""The tokens of the parts are the tokens of the whole, whatever the tokenizer and whatever the text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from stack.adapters.split_points import SplitPoints, split_points
from tests.stack.adapters import small_tokenizers
from tests.stack.adapters.small_tokenizers import KINDS, SPECIAL

MODEL = Path(__file__).parents[3] / ".kvdeck" / "models" / "smollm2" / "tokenizer.json"
AWKWARD = (
    *SPECIAL, "<|im_", "im_end|>", "<s", "<mask>", "[UNK]", "<unk>", "▁", "▁▁", "Ġ",
    " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\u0085", "\x1c", "\x0b",
    "the", "The", "quick", "a", "B", "it's", "I'LL", "'s", "'", "\u017f", "ß", "İ",
    "1", "12", "1234567", "٣", "½", ".", ",", ";", ":", "...", "!", "/", "-", "_", "(", "\\", "\"",
    "東京", "今日", "。", "、", "々", "カ", "が", "か\u3099", "한국", "\u1112\u1161", "e\u0301", "\u0301", "\u0338", "\uff46", "ﬁ",
    "नमस्ते", "مرحبا", "🙂", "👩‍👩‍👧", "\u200d", "\ufe0f", "\ufeff", "\x00",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(AWKWARD), st.text(max_size=3)), max_size=40).map("".join)
LEAST = st.sampled_from((1, 2, 5, 20))


@cache
def made(kind: str) -> tuple[Tokenizer, SplitPoints | None]:
    tokenizer = Tokenizer.from_file(str(MODEL)) if kind == "real" else KINDS[kind]()
    return tokenizer, split_points(tokenizer)


def ids(tokenizer: Tokenizer, *texts: str) -> list[int]:
    return [token for text in texts for token in tokenizer.encode(text, add_special_tokens=False).ids]


def kinds() -> list[object]:
    real = pytest.param(
        "real", marks=pytest.mark.skipif(not MODEL.exists(), reason="the model is not here (./kvdeck up unpacks it)")
    )
    return [*KINDS, real]


@pytest.mark.parametrize("kind", kinds())
@given(text=TEXTS, least=LEAST)
def test_the_parts_tokens_are_the_whole_s(kind: str, text: str, least: int) -> None:
    tokenizer, points = made(kind)
    assert points is not None
    parts = points.parts(text, least)
    assert "".join(parts) == text
    assert all(len(part) >= least for part in parts[:-1])
    assert ids(tokenizer, *parts) == ids(tokenizer, text)


@pytest.mark.parametrize("kind", ["real", "llama3"])
@given(text=TEXTS, more=TEXTS)
def test_a_text_that_grows_keeps_its_parts_but_for_the_last(kind: str, text: str, more: str) -> None:
    _, points = made(kind if MODEL.exists() else "gpt2")
    assert points is not None
    parts = points.parts(text, 5)
    # What is cut in the shorter text is cut there in the longer one.
    assert points.parts(text + more, 5)[: len(parts) - 1] == parts[:-1]


SPACE, LINE, TOKEN = "one two, three", "one.\ntwo\nthree", "東京</s>東京<|im_end|>東京"


def places(tokenizer: Tokenizer) -> list[bool]:
    """Whether text is cut at spaces, after line feeds, and before added tokens."""
    points = split_points(tokenizer)
    return [points is not None and len(points.parts(text, 1)) == 3 for text in (SPACE, LINE, TOKEN)]


def test_what_is_certain_of_which_kind() -> None:
    assert {kind: places(make()) for kind, make in KINDS.items()} == {
        "gpt2": [True, True, True],
        "gpt2_prefix_space": [True, False, True],
        "smollm2": [True, True, True],
        "llama3": [True, True, True],
        "qwen2": [True, True, True],
        "gpt_oss": [True, True, True],
        "deepseek": [True, True, True],
        "unknown_regex": [False, False, True],
        "gemma": [True, False, True],
        "llama2_metaspace": [True, False, True],
        "llama2_legacy": [False, False, True],
        "unigram": [True, False, True],
        "unigram_nfkc": [True, False, True],
        "word_piece": [False, False, True],
    }


def plain(*tokens: AddedToken) -> Tokenizer:
    return small_tokenizers.with_tokens(KINDS["gpt2"](), *tokens)


def test_a_token_that_another_may_overlap_is_no_place() -> None:
    overlapping = plain(AddedToken("x</s>", normalized=False), AddedToken("<|im_end|>>", normalized=False))
    points = split_points(overlapping)
    assert points is not None
    assert points.parts("東京x</s>東京</s>東京<|im_end|>>東京<|im_end|>京<|im_start|>京", 1) == [
        "東京", "x</s>東京</s>東京", "<|im_end|>>東京<|im_end|>京", "<|im_start|>京",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (AddedToken("two, ", normalized=False), [False, True, True]),
        (AddedToken("e t", normalized=True), [False, True, True]),
        (AddedToken("e\nt", normalized=True), [True, False, True]),
        (AddedToken("two", lstrip=True), [True, False, True]),
        (AddedToken("one", rstrip=True), [False, True, True]),
        (AddedToken("two", single_word=True), [True, True, True]),
    ],
)
def test_an_added_token_that_reaches_over_a_place_takes_the_rule_away(token: AddedToken, expected: list[bool]) -> None:
    assert places(plain(token)) == expected


ODD = (
    AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("<end>", rstrip=True, normalized=False),
    AddedToken("quick", single_word=True, normalized=False), AddedToken("the.", rstrip=True, normalized=True),
    AddedToken("  ", normalized=True), AddedToken("\n\n", normalized=False), AddedToken("<|im_end|>the", normalized=False),
)  # fmt: skip


@cache
def odd(kind: str) -> tuple[Tokenizer, SplitPoints | None]:
    tokenizer = small_tokenizers.with_tokens(KINDS[kind](), *ODD)
    return tokenizer, split_points(tokenizer)


@pytest.mark.parametrize("kind", ["gpt2", "qwen2", "gemma", "llama2_legacy", "unigram"])
@given(
    text=st.lists(st.sampled_from([*AWKWARD, "<mask>", "<end>", "the.", "quick", "<|im_end|>the"]), max_size=30).map("".join),
    least=LEAST,
)
def test_tokens_that_take_white_space_or_want_whole_words_change_nothing(kind: str, text: str, least: int) -> None:
    tokenizer, points = odd(kind)
    assert points is not None
    assert ids(tokenizer, *points.parts(text, least)) == ids(tokenizer, text)


def test_a_vocabulary_with_tokens_over_spaces_has_no_places_in_text() -> None:
    vocabulary = {token: number for number, token in enumerate(["<unk>", "a", "b", "▁", "a▁", "a▁b"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "▁"), ("a▁", "b")], unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    assert split_points(tokenizer) is None


def test_what_is_not_known_has_no_places() -> None:
    random = KINDS["gpt2"]()
    random.model.dropout = 0.1
    unnamed = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    unnamed.pre_tokenizer = pre_tokenizers.CharDelimiterSplit("x")
    assert [split_points(random), split_points(unnamed)] == [None, None]
