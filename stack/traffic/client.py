"""Sends one request as a stream to an OpenAI endpoint and times what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypedDict

import httpx
import msgspec

from stack.traffic.request import Failure, Outcome, Request

_DONE = "[DONE]"


class EndpointError(ConnectionError):
    """The endpoint does not say what it serves; the message is one line that says why."""


class _Delta(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    text: str | None = None
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: object = None


class _Card(msgspec.Struct):
    id: str
    max_model_len: int | None = None
    parent: str | None = None
    emulated: bool = False


class _Models(msgspec.Struct):
    data: list[_Card]


@dataclass(frozen=True, slots=True)
class Model:
    """A served model; `context` tokens is None when the endpoint does not tell. `emulated`: it says that it is."""

    name: str
    context: int | None
    emulated: bool = False


@dataclass
class _Reading:
    """What of an answer has been read."""

    answer: httpx.Response | None = None
    failure: Failure | None = None
    finished: bool = False
    usage: _Usage | None = None
    text: list[str] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)


class _Call(TypedDict):
    url: str
    content: bytes
    headers: dict[str, str]
    timeout: httpx.Timeout


class Client:
    """One endpoint and model. `clock` gives seconds; `gap_seconds` is the longest wait for the next piece of an answer."""

    def __init__(
        self, http: httpx.AsyncClient, url: str, model: str, clock: Callable[[], float], gap_seconds: float = 60.0
    ) -> None:
        self._http = http
        self._url = url.rstrip("/")
        self._model = model
        self._clock = clock
        self._timeout = httpx.Timeout(10.0, read=gap_seconds)

    async def ask(self, request: Request, began: float) -> tuple[Outcome, str | None]:
        """The outcome, and the answer's text when there is a whole one; `began` is when the run began. Failures are outcomes."""
        sent, reading = self._clock(), _Reading()
        try:
            async with self._http.stream("POST", **self._call(request)) as answer:
                reading.answer = answer
                reading.failure = _refusal(answer.status_code) or await self._read(answer, reading)
        except httpx.TimeoutException:
            reading.failure = Failure.TIMEOUT
        except httpx.TransportError:
            reading.failure = Failure.CONNECTION if reading.answer is None else Failure.ENDED_EARLY
        except msgspec.DecodeError:
            reading.failure = Failure.MALFORMED
        outcome = _outcome(request, reading, sent - began, sent, self._clock())
        return outcome, None if reading.failure is not None else "".join(reading.text)

    def _call(self, request: Request) -> _Call:
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": 0,
        }
        if request.prompt is not None:
            path, body["prompt"] = "/v1/completions", request.prompt
        else:
            path, body["messages"] = "/v1/chat/completions", [{"role": role, "content": text} for role, text in request.messages]
        if request.salt is not None:
            body["cache_salt"] = request.salt
        headers = {"content-type": "application/json"}
        if request.session is not None:
            headers["x-session-id"] = request.session
        return {"url": self._url + path, "content": msgspec.json.encode(body), "headers": headers, "timeout": self._timeout}

    async def _read(self, answer: httpx.Response, reading: _Reading) -> Failure | None:
        async for line in answer.aiter_lines():
            data = line.removeprefix("data:").strip()
            if not line.startswith("data:") or not data:
                continue
            if data == _DONE:
                continue  # read to the end: the connection is then good for the next request
            chunk = msgspec.json.decode(data, type=_Chunk)
            if chunk.error is not None:
                return Failure.ERROR_EVENT
            self._take(chunk, reading)
        return None if reading.finished else Failure.ENDED_EARLY

    def _take(self, chunk: _Chunk, reading: _Reading) -> None:
        reading.usage = chunk.usage or reading.usage
        for choice in chunk.choices:
            reading.finished = reading.finished or choice.finish_reason is not None
            text = choice.text if choice.delta is None else choice.delta.content
            if text:
                reading.text.append(text)
                reading.arrivals.append(self._clock())


async def model_of(http: httpx.AsyncClient, url: str, wanted: str | None) -> Model:
    """The endpoint's model: `wanted`, or the only one there is, whatever adapters it has. Raises EndpointError."""
    try:
        answer = await http.get(f"{url.rstrip('/')}/v1/models", timeout=10.0)
        answer.raise_for_status()
        models = msgspec.json.decode(answer.content, type=_Models).data
    except (httpx.HTTPError, msgspec.DecodeError) as error:
        raise EndpointError(f"{url}/v1/models: {type(error).__name__}: {error}") from error
    named = [model for model in models if (model.id == wanted if wanted else model.parent is None)]
    if not named:
        raise EndpointError(f"{url} does not serve {wanted or 'any model'}; it serves: {', '.join(m.id for m in models) or 'none'}")
    if wanted is None and len({model.id for model in named}) > 1:
        raise EndpointError(f"{url} serves several models, name one with --model: {', '.join(model.id for model in named)}")
    return Model(named[0].id, named[0].max_model_len, named[0].emulated)


def _refusal(status: int) -> Failure | None:
    if status < 400:
        return None
    return Failure.REFUSED if status < 500 else Failure.SERVER_ERROR


def _outcome(request: Request, reading: _Reading, started: float, sent: float, ended: float) -> Outcome:
    answer, usage, arrivals = reading.answer, reading.usage or _Usage(), reading.arrivals
    headers = {} if answer is None else answer.headers
    return Outcome(
        kind=request.kind,
        started=started,
        status=None if answer is None else answer.status_code,
        failure=reading.failure,
        first_token_seconds=arrivals[0] - sent if arrivals else None,
        total_seconds=ended - sent,
        gaps_seconds=tuple(later - earlier for earlier, later in pairwise(arrivals)),
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=None if usage.prompt_tokens_details is None else usage.prompt_tokens_details.cached_tokens,
        completion_tokens=usage.completion_tokens,
        path=headers.get("x-kvdeck-path"),
        engine=headers.get("x-kvdeck-engine"),
    )
