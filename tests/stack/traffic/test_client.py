from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import httpx
import msgspec
import pytest

from stack.traffic.client import Client, EndpointError, Model, model_of
from stack.traffic.request import Failure, Outcome, Request

CHAT = Request("chat", 8, messages=(("system", "Be brief."), ("user", "Hello?")), session="chat-1")
Handler = Callable[[httpx.Request], httpx.Response]


class Ticks:
    """Each look at the clock is a second later."""

    def __init__(self) -> None:
        self.now = 99.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def chunk(text: str | None = None, reason: str | None = None, **more: object) -> bytes:
    choices = [] if text is None else [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]
    return b"data: " + msgspec.json.encode({"choices": choices, **more}) + b"\n\n"


DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 20, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 16}}


async def ask(handler: Handler, request: Request = CHAT) -> tuple[Outcome, str | None]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as http:
        return await Client(http, "http://endpoint/", "m", Ticks()).ask(request, began=90.0)


def answering(*parts: bytes, status: int = 200, **headers: str) -> Handler:
    return lambda request: httpx.Response(
        status, content=b"".join(parts), headers={key.replace("_", "-"): value for key, value in headers.items()}
    )


async def test_a_whole_answer_is_timed_and_counted() -> None:
    handler = answering(
        chunk("", None), chunk("Yes"), chunk(".", "stop"), chunk(usage=USAGE), DONE, x_kvdeck_path="dpd", x_kvdeck_engine="decode-1"
    )
    outcome, text = await ask(handler)
    assert text == "Yes."
    assert outcome == Outcome(
        kind="chat",
        started=10.0,
        status=200,
        first_token_seconds=1.0,
        total_seconds=3.0,
        gaps_seconds=(1.0,),
        prompt_tokens=20,
        cached_tokens=16,
        completion_tokens=2,
        path="dpd",
        engine="decode-1",
    )


async def test_the_request_is_a_stream_that_reports_its_usage() -> None:
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, content=chunk("x", "stop") + DONE)

    await ask(handler)
    await ask(handler, Request("trace", 4, prompt="one two"))
    chat, completion = sent
    assert (chat.url.path, completion.url.path) == ("/v1/chat/completions", "/v1/completions")
    assert chat.headers["x-session-id"] == "chat-1"
    assert msgspec.json.decode(chat.content) == {
        "model": "m",
        "max_tokens": 8,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}],
    }
    assert msgspec.json.decode(completion.content)["prompt"] == "one two"


@pytest.mark.parametrize(("salt", "said"), [(None, None), ("arm-1", "arm-1")])
async def test_a_salt_parts_caches_and_none_is_not_said(salt: str | None, said: str | None) -> None:
    bodies: list[dict[str, object]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(msgspec.json.decode(request.content, type=dict[str, object]))
        return httpx.Response(200, content=DONE)

    await ask(handler, replace(CHAT, salt=salt))
    assert [body.get("cache_salt") for body in bodies] == [said]


async def test_an_endpoint_that_tells_little_is_unknown_and_not_zero() -> None:
    outcome, text = await ask(answering(b'data: {"choices": [{"text": "Yes", "finish_reason": "stop"}]}\n\n', DONE))
    assert text == "Yes"
    assert (outcome.failure, outcome.prompt_tokens, outcome.cached_tokens, outcome.path) == (None, None, None, None)


@pytest.mark.parametrize(
    ("handler", "failure"),
    [
        (answering(status=429), Failure.REFUSED),
        (answering(status=503), Failure.SERVER_ERROR),
        (answering(chunk("Yes"), chunk(error={"message": "no"}), DONE), Failure.ERROR_EVENT),
        (answering(chunk("Yes")), Failure.ENDED_EARLY),
        (answering(chunk("Yes"), DONE), Failure.ENDED_EARLY),
        (answering(b"data: {oops\n\n"), Failure.MALFORMED),
    ],
)
async def test_a_failure_has_a_kind_and_no_text(handler: Handler, failure: Failure) -> None:
    outcome, text = await ask(handler)
    assert (outcome.failure, text) == (failure, None)


async def test_a_broken_connection_is_told_from_a_broken_answer() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    def stall(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("silent")

    async def breaking() -> AsyncIterator[bytes]:
        yield chunk("Yes")
        raise httpx.ReadError("gone")

    assert (await ask(refuse))[0].failure is Failure.CONNECTION
    assert (await ask(stall))[0].failure is Failure.TIMEOUT
    assert (await ask(lambda request: httpx.Response(200, content=breaking())))[0].failure is Failure.ENDED_EARLY


async def models(document: object, wanted: str | None = None) -> Model:
    async with httpx.AsyncClient(transport=httpx.MockTransport(lambda request: httpx.Response(200, json=document))) as http:
        return await model_of(http, "http://endpoint", wanted)


async def test_the_only_model_is_found_with_its_context() -> None:
    assert await models({"data": [{"id": "m", "max_model_len": 4096}]}) == Model("m", 4096)
    assert await models({"data": [{"id": "m", "emulated": True}]}) == Model("m", None, emulated=True)
    assert await models({"data": [{"id": "a"}, {"id": "b"}]}, "b") == Model("b", None)


async def test_a_models_adapters_are_no_other_models_unless_one_is_asked_for() -> None:
    listed = {"data": [{"id": "m", "parent": None}, {"id": "sql", "parent": "m"}]}
    assert (await models(listed), await models(listed, "sql")) == (Model("m", None), Model("sql", None))


@pytest.mark.parametrize(
    ("document", "wanted", "said"),
    [
        ({"data": []}, None, "it serves: none"),
        ({"data": [{"id": "a"}, {"id": "b"}]}, None, "name one with --model: a, b"),
        ({"data": [{"id": "a"}]}, "b", "does not serve b"),
        ({"models": []}, None, "/v1/models"),
    ],
)
async def test_an_endpoint_without_a_clear_model_is_said(document: object, wanted: str | None, said: str) -> None:
    with pytest.raises(EndpointError, match=said):
        await models(document, wanted)


async def test_an_answer_is_read_to_its_very_end_so_that_its_connection_is_good_for_another() -> None:
    read: list[str] = []

    async def parts() -> AsyncIterator[bytes]:
        for name, part in (("text", chunk("Yes", "stop")), ("done", DONE), ("end", b"\n")):
            read.append(name)
            yield part

    outcome, text = await ask(lambda request: httpx.Response(200, content=parts()))
    assert (outcome.failure, text) == (None, "Yes")
    assert read == ["text", "done", "end"]
