"""Holding a tokenizer against an engine's /tokenize."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from stack.adapters.chat_tokens import ChatTokenizer
from stack.adapters.tokenize_check import CHATS, COMPLETIONS, TokenizeUnavailableError, agrees
from tests.stack.adapters import tokenizer_folder

Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def tokenizer(tmp_path: Path) -> ChatTokenizer:
    return ChatTokenizer.load(str(tokenizer_folder.write(tmp_path)))


def engine(tokenizer: ChatTokenizer, *, wrong_about: object = None) -> Handler:
    """An engine that has the same tokenizer, but for one prompt."""

    def answer(request: httpx.Request) -> httpx.Response:
        body: dict[str, Any] = json.loads(request.content)
        assert (request.url.path, body.pop("model")) == ("/tokenize", "m")
        tokens = (tokenizer.chat(body) if "messages" in body else tokenizer.completion(body)).tolist()
        return httpx.Response(200, json={"count": 0, "max_model_len": 1, "tokens": [0, *tokens] if body == wrong_about else tokens})

    return answer


async def check(tokenizer: ChatTokenizer, handler: Handler) -> bool:
    async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as client:
        return await agrees(client, "http://engine:1", "m", tokenizer)


async def test_the_same_tokens_agree(tokenizer: ChatTokenizer) -> None:
    assert await check(tokenizer, engine(tokenizer))


@pytest.mark.parametrize("body", [*CHATS, *COMPLETIONS])
async def test_one_difference_in_any_probe_is_a_mismatch(tokenizer: ChatTokenizer, body: dict[str, Any]) -> None:
    assert not await check(tokenizer, engine(tokenizer, wrong_about=body))


@pytest.mark.parametrize(
    "answer", [httpx.Response(404), httpx.Response(200, content=b"{"), httpx.Response(200, json={"tokens": "x"})]
)
async def test_no_tokens_in_the_answer_tell_nothing(tokenizer: ChatTokenizer, answer: httpx.Response) -> None:
    with pytest.raises(TokenizeUnavailableError, match="engine:1/tokenize"):
        await check(tokenizer, lambda request: answer)


async def test_a_probe_this_template_refuses_is_passed_over(tmp_path: Path) -> None:
    refusing = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}x"
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(tmp_path, template=refusing)))
    assert await check(tokenizer, engine(tokenizer))
