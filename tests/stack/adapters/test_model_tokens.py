"""Which models can be tokenized for."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from stack.adapters.chat_tokens import ChatTokenizer
from stack.adapters.model_tokens import Endpoint, ModelTokens
from stack.model.placement import PlacementUnknownError, UnknownReason
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.adapters import tokenizer_folder

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}


def target(root: Path | str, name: str = "good") -> Target:
    return Target(replica=name, url=f"http://{name}:1", pool=Pool.DECODE, model="m", model_root=str(root))


def models(root: Path) -> ModelTokens:
    """Asks an engine `good` that tokenizes as the folder says, one `odd` that does not, and one `mute` without /tokenize."""
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(root)))

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        tokens = tokenizer.chat(body) if "messages" in body else tokenizer.completion(body)
        if request.url.host == "mute":
            return httpx.Response(404)
        return httpx.Response(200, json={"tokens": tokens if request.url.host == "good" else [*tokens, 1]})

    return ModelTokens(httpx.AsyncClient(transport=httpx.MockTransport(answer)))


async def test_before_any_engine_came_there_is_no_tokenizer(tmp_path: Path) -> None:
    assert models(tmp_path).unusable("m") is UnknownReason.NO_TOKENIZER


async def test_an_engine_that_agrees_makes_its_model_usable(tmp_path: Path) -> None:
    known = models(tmp_path)
    await known.meet(target(tmp_path))
    assert known.unusable("m") is None
    assert len(known.tokens("m", Endpoint.CHAT, CHAT)) == len("user: Hi\n") + 1
    assert len(known.tokens("m", Endpoint.COMPLETION, {"prompt": "abc"})) == 4


async def test_one_engine_that_tokenizes_otherwise_puts_the_model_out_of_use_while_it_is_there(tmp_path: Path) -> None:
    known = models(tmp_path)
    await known.meet(target(tmp_path, "odd"))
    await known.meet(target(tmp_path, "good"))
    with pytest.raises(PlacementUnknownError, match="tokenizer_mismatch"):
        known.tokens("m", Endpoint.CHAT, CHAT)
    known.left("odd")
    assert known.unusable("m") is None


async def test_an_engine_without_tokenize_leaves_the_tokenizer_unchecked(tmp_path: Path) -> None:
    known = models(tmp_path)
    await known.meet(target(tmp_path, "mute"))
    assert known.unusable("m") is None


async def test_a_model_whose_files_are_not_here_has_no_tokens(tmp_path: Path) -> None:
    known = models(tmp_path)
    await known.meet(target("org/model"))
    assert known.unusable("m") is UnknownReason.NO_TOKENIZER


async def test_other_endpoints_are_not_told(tmp_path: Path) -> None:
    known = models(tmp_path)
    await known.meet(target(tmp_path))
    with pytest.raises(PlacementUnknownError, match="unsupported_endpoint"):
        known.tokens("m", "/v1/embeddings", {"input": "x"})
