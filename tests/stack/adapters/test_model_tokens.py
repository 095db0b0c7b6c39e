"""Which models can be tokenized for."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from stack.adapters.chat_tokens import ChatTokenizer
from stack.adapters.model_tokens import INLINE_MESSAGES, Endpoint, ModelTokens
from stack.adapters.token_threads import TokenThreads
from stack.model.placement import PlacementUnknownError, UnknownReason
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.adapters import tokenizer_folder

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}


def target(root: Path | str, name: str = "good") -> Target:
    return Target(replica=name, url=f"http://{name}:1", pool=Pool.DECODE, model="m", model_root=str(root))


@contextmanager
def threads(queue: int = 8) -> Iterator[TokenThreads]:
    pool = TokenThreads(1, queue, 30.0)
    yield pool
    pool.close()


@pytest.fixture
def known(tmp_path: Path) -> Iterator[ModelTokens]:
    with threads() as pool:
        yield models(tmp_path, pool)


def models(root: Path, pool: TokenThreads) -> ModelTokens:
    """Asks an engine `good` that tokenizes as the folder says, one `odd` that does not, and one `mute` without /tokenize."""
    tokenizer = ChatTokenizer.load(str(tokenizer_folder.write(root)))

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        tokens = (tokenizer.chat(body) if "messages" in body else tokenizer.completion(body)).tolist()
        if request.url.host == "mute":
            return httpx.Response(404)
        return httpx.Response(200, json={"tokens": tokens if request.url.host == "good" else [*tokens, 1]})

    return ModelTokens(httpx.AsyncClient(transport=httpx.MockTransport(answer)), pool, inline_characters=100)


async def test_before_any_engine_came_there_is_no_tokenizer(known: ModelTokens) -> None:
    assert known.unusable("m") is UnknownReason.NO_TOKENIZER


async def test_an_engine_that_agrees_makes_its_model_usable(known: ModelTokens, tmp_path: Path) -> None:
    await known.meet(target(tmp_path))
    assert known.unusable("m") is None
    assert len(await known.tokens("m", Endpoint.CHAT, CHAT)) == len("user: Hi\n") + 1
    assert len(await known.tokens("m", Endpoint.COMPLETION, {"prompt": "abc"})) == 4


async def test_one_engine_that_tokenizes_otherwise_puts_the_model_out_of_use_while_it_is_there(
    known: ModelTokens, tmp_path: Path
) -> None:
    await known.meet(target(tmp_path, "odd"))
    await known.meet(target(tmp_path, "good"))
    with pytest.raises(PlacementUnknownError, match="tokenizer_mismatch"):
        await known.tokens("m", Endpoint.CHAT, CHAT)
    known.left("odd")
    assert known.unusable("m") is None


async def test_an_engine_without_tokenize_leaves_the_tokenizer_unchecked(known: ModelTokens, tmp_path: Path) -> None:
    await known.meet(target(tmp_path, "mute"))
    assert known.unusable("m") is None


async def test_a_model_whose_files_are_not_here_has_no_tokens(known: ModelTokens) -> None:
    await known.meet(target("org/model"))
    assert known.unusable("m") is UnknownReason.NO_TOKENIZER


async def test_other_endpoints_are_not_told(known: ModelTokens, tmp_path: Path) -> None:
    await known.meet(target(tmp_path))
    with pytest.raises(PlacementUnknownError, match="unsupported_endpoint"):
        await known.tokens("m", "/v1/embeddings", {"input": "x"})


def long(characters: int) -> dict[str, object]:
    return {"prompt": "word " * (characters // 5)}


async def test_what_was_seen_before_is_not_tokenized_again(known: ModelTokens, tmp_path: Path) -> None:
    await known.meet(target(tmp_path))
    met = next(known.use())
    await known.tokens("m", Endpoint.COMPLETION, long(5000))
    first = next(known.use())
    tokens = await known.tokens("m", Endpoint.COMPLETION, {"prompt": "word " * 1000 + "tail"})
    second = next(known.use())
    assert len(tokens) == 1 + 5000 + len("tail")
    assert (first.model, first.cached_tokens, first.computed_tokens) == ("m", met.cached_tokens, met.computed_tokens + 5000)
    tail = second.computed_tokens - first.computed_tokens
    assert second.cached_tokens - first.cached_tokens == 5004 - tail > 4000
    assert second.cache_bytes > first.cache_bytes > met.cache_bytes


@pytest.mark.parametrize(
    ("path", "body", "beside"),
    [
        (Endpoint.COMPLETION, long(100), False),
        (Endpoint.COMPLETION, long(200), True),
        (Endpoint.CHAT, {"messages": CHAT["messages"] * INLINE_MESSAGES}, True),
        (Endpoint.CHAT, {"messages": CHAT["messages"] * (INLINE_MESSAGES + 1)}, True),
        (Endpoint.COMPLETION, {"prompt": list(range(1000))}, False),
    ],
)
async def test_much_that_is_new_is_tokenized_beside_the_loop(
    tmp_path: Path, path: str, body: dict[str, object], beside: bool
) -> None:
    with threads(queue=0) as pool:
        known = models(tmp_path, pool)
        await known.meet(target(tmp_path))
        begun, release = threading.Event(), threading.Event()

        def hold(wanted: Callable[[], bool]) -> None:
            begun.set()
            release.wait()

        other = asyncio.create_task(pool.run(1, hold))
        await asyncio.to_thread(begun.wait)
        try:
            await known.tokens("m", path, body)
            busy = False
        except PlacementUnknownError as error:
            busy = error.reason is UnknownReason.TOKENIZER_BUSY
        release.set()
        await other
    assert busy is beside
