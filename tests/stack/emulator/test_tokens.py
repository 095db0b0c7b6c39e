from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from stack.emulator.tokens import ByteTokenizer, ModelTokenizer, PromptError, load

CHAT = {"messages": [{"role": "user", "content": "one two"}]}


@pytest.fixture
def model_root(tmp_path: Path) -> Path:
    """A folder with a tokenizer of seven words and a chat template."""
    words = ["[UNK]", "one", "two", "three", "user", "assistant", ":"]
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    template = (
        "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}{% if add_generation_prompt %}assistant :{% endif %}"
    )
    (tmp_path / "chat_template.jinja").write_text(template)
    return tmp_path


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_bytes_are_read_back(text: str) -> None:
    tokens = ByteTokenizer().encode(text, add_special_tokens=True)
    assert ByteTokenizer().decode(tokens) == text
    assert all(0 <= token < 1 << 32 for token in tokens)


def test_a_longer_chat_begins_with_the_shorter_ones_tokens() -> None:
    turns = [{"role": "user", "content": "a question of some length"}, {"role": "assistant", "content": "yes"}]
    short = ByteTokenizer().chat({"messages": turns[:1], "add_generation_prompt": False})
    assert ByteTokenizer().chat({"messages": turns})[: len(short) - 1] == short[:-1]


@pytest.mark.parametrize(
    "messages", ["x", [1], [{"role": "user", "content": [{"type": "image_url"}]}], [{"role": "user", "content": 5}]]
)
def test_what_is_no_text_is_refused(messages: object) -> None:
    with pytest.raises(PromptError):
        ByteTokenizer().chat({"messages": messages})


def test_a_models_own_tokenizer_is_used_where_it_has_one(model_root: Path) -> None:
    tokenizer = load(str(model_root))
    assert isinstance(tokenizer, ModelTokenizer)
    assert tokenizer.chat(CHAT) == [4, 6, 1, 2, 5, 6]
    assert tokenizer.encode("one three", add_special_tokens=True) == [1, 3]
    assert tokenizer.decode([1, 3]) == "one three"


def test_pieces_of_a_models_tokenizer_join_to_the_text(model_root: Path) -> None:
    assert load(str(model_root)).pieces("one two three") == [(1, "one"), (2, " two"), (3, " three")]


def test_a_folder_without_tokenizer_means_bytes(tmp_path: Path) -> None:
    assert isinstance(load(str(tmp_path)), ByteTokenizer)
