"""/v1/chat/completions and /v1/completions of an emulated engine."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stack.emulator import answers
from stack.emulator.adapters import Adapters
from stack.emulator.bodies import ChatBody, CompletionBody, Generation, decode
from stack.emulator.core import Ask
from stack.emulator.engine import Engine, EngineGoneError, Stream
from stack.emulator.errors import ApiError, unknown_model
from stack.emulator.hashing import Lora
from stack.emulator.identity import Identity
from stack.emulator.scheduler import Emission
from stack.emulator.sequence import Sequence
from stack.emulator.transfer import Produce


class Generate:
    """Answers generation requests for one engine."""

    def __init__(self, engine: Engine, identity: Identity, adapters: Adapters, max_model_len: int) -> None:
        self._engine = engine
        self._identity = identity
        self._adapters = adapters
        self._max_model_len = max_model_len

    async def chat(self, request: Request) -> Response:
        body, raw = decode(await request.body(), ChatBody)
        return await self._answer(request, body, body.tokens(raw, self._engine.tokenizer), "chatcmpl")

    async def completion(self, request: Request) -> Response:
        body, raw = decode(await request.body(), CompletionBody)
        return await self._answer(request, body, body.tokens(raw, self._engine.tokenizer), "cmpl")

    async def _answer(self, request: Request, body: Generation, prompt: list[int], prefix: str) -> Response:
        model = self._identity.spec.model
        adapter = None
        if body.model is not None and body.model != model:
            if body.model not in self._adapters:
                raise unknown_model(body.model)
            model = body.model
            adapter = Lora(model, self._adapters.path(model))
        limits = body.limits(len(prompt), self._max_model_len)
        answer_id = f"{prefix}-{request.headers.get('x-request-id') or uuid.uuid4().hex}"
        transfer = body.transfer()
        head = answers.Head(answer_id, model, int(time.time()), prefix == "chatcmpl", answers.reported_cached(transfer))
        # Peers name a lease by this id, so it is unique even when a client repeats its own.
        ask = Ask(f"{answer_id}-{uuid.uuid4().hex[:8]}", tuple(prompt), limits, transfer, body.cache_salt, adapter)
        try:
            stream = self._engine.submit(ask)
        except EngineGoneError as error:
            raise _dead(error) from error
        if body.stream:
            events = _events(stream, head, include_usage=body.include_usage)
            return StreamingResponse(events, media_type="text/event-stream")
        return await self._whole(request, stream, head)

    async def _whole(self, request: Request, stream: Stream, head: answers.Head) -> Response:
        """The whole answer, or nothing when the client goes away before."""
        answer = asyncio.ensure_future(_collect(stream))
        gone = asyncio.ensure_future(_disconnected(request))
        with stream:
            try:
                await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    return Response(status_code=499)
                text, last = answer.result()
            except EngineGoneError as error:
                raise _dead(error) from error
            finally:
                answer.cancel()
                gone.cancel()
        transfer = self._kept(last)
        return Response(answers.whole(head, last.sequence, text, last.reason or "stop", transfer), media_type="application/json")

    def _kept(self, last: Emission) -> dict[str, object] | None:
        """What the decode side needs to pull this prompt's KV; None when nobody asked."""
        if not isinstance(last.sequence.intent, Produce):
            return None
        host, port = self._identity.address
        return {
            "do_remote_prefill": True,
            "do_remote_decode": False,
            "remote_block_ids": [list(last.kept)],
            "remote_engine_id": self._engine.engine_id,
            "remote_request_id": last.sequence.request_id,
            "remote_host": host,
            "remote_port": port,
            "tp_size": 1,
            "dcp_size": 1,
            "pp_size": 1,
            "remote_num_tokens": len(last.sequence.prompt),
            "remote_blocks_expiry_time": None,
            "transfer_mode": "pull",
            "remote_prefill_cached_tokens": _cached(last.sequence),
        }


async def _collect(stream: Stream) -> tuple[str, Emission]:
    texts: list[str] = []
    async for emission in stream:
        texts.append(emission.text)
    return "".join(texts), emission


async def _events(stream: Stream, head: answers.Head, *, include_usage: bool) -> AsyncIterator[bytes]:
    """Server-sent events. A dying engine ends the connection without a word, so the error is not caught here."""
    opened = False
    with stream:
        async for emission in stream:
            if not opened:
                opened = True
                for event in answers.opening(head):
                    yield event
            yield answers.chunk(head, emission.text, emission.reason, emission.sequence, last=not include_usage)
        if include_usage:
            yield answers.closing_usage(head, stream.sequence)
        yield answers.DONE


async def _disconnected(request: Request) -> None:
    """Returns when the client has gone; the body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _cached(sequence: Sequence) -> int:
    return sequence.origin.device + sequence.origin.external


def _dead(error: EngineGoneError) -> ApiError:
    return ApiError(500, "InternalServerError", f"EngineCore encountered an issue: {error}")
