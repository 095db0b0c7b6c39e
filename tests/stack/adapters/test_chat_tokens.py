"""Token ids, told without an engine."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from stack.adapters import chat_tokens
from stack.adapters.chat_tokens import ChatTokenizer, NoTokenizerError
from stack.model.placement import PlacementUnknownError, UnknownReason
from tests.stack.adapters import tokenizer_folder

ROOT = Path(__file__).parents[3]
MODEL = ROOT / ".kvdeck" / "models" / "smollm2"
RECORDED = json.loads((ROOT / "tests" / "data" / "chat_prompts.json").read_text())
USER = {"messages": [{"role": "user", "content": "Hi"}]}


def text(folder: Path, tokens: array[int]) -> str:
    return str(Tokenizer.from_file(str(folder / "tokenizer.json")).decode(tokens.tolist(), skip_special_tokens=False))


def test_a_chat_gets_only_the_special_tokens_its_template_writes(tmp_path: Path) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path)))
    assert text(tmp_path, tokenizer.chat(USER)) == "<s>user: Hi\n"
    assert text(tmp_path, tokenizer.chat({**USER, "add_special_tokens": True})) == "<s><s>user: Hi\n"


def test_a_completion_gets_the_tokenizer_s_special_tokens(tmp_path: Path) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path)))
    assert text(tmp_path, tokenizer.completion({"prompt": "longer than four"})) == "<s>longer than four"
    assert text(tmp_path, tokenizer.completion({"prompt": ["one"], "add_special_tokens": False})) == "one"
    assert tokenizer.completion({"prompt": [5, 6]}) == array("I", [5, 6])
    assert tokenizer.completion({"prompt": [[5, 6]]}) == array("I", [5, 6])


@pytest.mark.parametrize("prompt", [None, [], ["one", "two"], [[1], [2]], [1, "x"], [True], {"x": 1}, [-1], [1 << 32], "\ud800"])
def test_several_prompts_or_none_are_not_told(tmp_path: Path, prompt: object) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path)))
    with pytest.raises(PlacementUnknownError) as caught:
        tokenizer.completion({"prompt": prompt})
    assert caught.value.reason is UnknownReason.UNSUPPORTED_CONTENT


def test_a_template_file_goes_before_the_configuration(tmp_path: Path) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path, in_file="file")))
    assert text(tmp_path, tokenizer.chat(USER)) == "file"


def test_among_named_templates_tools_pick_theirs(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path, template=named)))
    assert text(tmp_path, tokenizer.chat(USER)) == "plain"
    tools = [{"type": "function", "function": {"name": "f"}}]
    assert text(tmp_path, tokenizer.chat({**USER, "tools": tools})) == "tools"


def test_without_a_template_completions_still_work(tmp_path: Path) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path, template=None)))
    with pytest.raises(PlacementUnknownError, match="no_tokenizer"):
        tokenizer.chat(USER)
    assert text(tmp_path, tokenizer.completion({"prompt": "x"})) == "<s>x"


def test_a_prompt_that_would_hold_up_others_is_not_tokenized(tmp_path: Path) -> None:
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path)))
    with pytest.raises(PlacementUnknownError, match="prompt_too_long"):
        tokenizer.completion({"prompt": "x" * (chat_tokens.PROMPT_CHARACTERS_MAX + 1)})


@pytest.mark.parametrize(
    ("file", "content"), [("tokenizer.json", "{}"), ("tokenizer_config.json", "{"), ("chat_template.jinja", "{% if %}")]
)
def test_files_that_cannot_be_read_are_named(tmp_path: Path, file: str, content: str) -> None:
    (tokenizer_folder.write(tmp_path) / file).write_text(content)
    with pytest.raises(NoTokenizerError, match=str(tmp_path)):
        ChatTokenizer.load(str(tmp_path))


def test_a_model_that_is_not_a_local_folder_has_no_tokenizer_here() -> None:
    with pytest.raises(NoTokenizerError, match="no tokenizer"):
        ChatTokenizer.load("HuggingFaceTB/SmolLM2-135M-Instruct")


@pytest.mark.skipif(not (MODEL / "tokenizer.json").exists(), reason="the model is not unpacked here (./kvdeck up does it)")
def test_the_real_model_s_tokens_are_vllm_s() -> None:
    tokenizer = ChatTokenizer.load(str(MODEL))
    chats: list[dict[str, Any]] = [chat for chat in RECORDED["chats"] if chat["tokens"] is not None]
    assert [tokenizer.chat(chat["body"]).tolist() for chat in chats] == [chat["tokens"] for chat in chats]
    completions = RECORDED["completions"]
    assert [tokenizer.completion(case["body"]).tolist() for case in completions] == [case["tokens"] for case in completions]
