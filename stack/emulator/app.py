"""The HTTP face of one emulated engine: vLLM's paths."""

from __future__ import annotations

import logging

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from stack.emulator.adapters import Adapters, LoadBody, UnloadBody
from stack.emulator.bodies import DetokenizeBody, TokenizeBody, decode
from stack.emulator.engine import Engine
from stack.emulator.errors import ApiError, bad_request
from stack.emulator.gauges import Exposition
from stack.emulator.generate import Generate
from stack.emulator.identity import VLLM_VERSION, Identity
from stack.emulator.publisher import BUFFERED_STEPS, KvPublisher
from stack.emulator.tokens import PromptError

log = logging.getLogger(__name__)


class EngineApp:
    """Everything but generation: what is asked about the engine."""

    def __init__(
        self, engine: Engine, identity: Identity, exposition: Exposition, publisher: KvPublisher | None, limit: int
    ) -> None:
        self._engine = engine
        self._identity = identity
        self._exposition = exposition
        self._publisher = publisher
        self._max_model_len = limit
        self._adapters = Adapters(identity.spec.adapters)
        generate = Generate(engine, identity, self._adapters, limit)
        self.asgi = Starlette(
            routes=[
                Route("/v1/chat/completions", generate.chat, methods=["POST"]),
                Route("/v1/completions", generate.completion, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/v1/load_lora_adapter", self._load_adapter, methods=["POST"]),
                Route("/v1/unload_lora_adapter", self._unload_adapter, methods=["POST"]),
                Route("/health", self._health),
                Route("/version", self._version),
                Route("/metrics", self._metrics),
                Route("/kv_event_sources", self._kv_event_sources),
                Route("/tokenize", self._tokenize, methods=["POST"]),
                Route("/detokenize", self._detokenize, methods=["POST"]),
            ],
            exception_handlers={ApiError: _refuse, PromptError: _unreadable},
        )

    async def _health(self, request: Request) -> Response:
        return Response(status_code=200 if self._engine.death is None else 503)

    async def _version(self, request: Request) -> Response:
        return JSONResponse({"version": VLLM_VERSION, "emulated": True})

    async def _metrics(self, request: Request) -> Response:
        return PlainTextResponse(self._exposition.text(), media_type="text/plain; version=0.0.4")

    async def _models(self, request: Request) -> Response:
        spec = self._identity.spec
        card: dict[str, object] = {
            "id": spec.model,
            "object": "model",
            "created": int(self._identity.started),
            "owned_by": "vllm",
            "root": spec.model_root,
            "parent": None,
            "max_model_len": self._max_model_len,
            "permission": [],
            "emulated": True,
        }
        return JSONResponse({"object": "list", "data": [card, *self._adapters.cards(card)]})

    async def _load_adapter(self, request: Request) -> Response:
        body, _ = decode(await request.body(), LoadBody)
        return PlainTextResponse(self._adapters.load(body))

    async def _unload_adapter(self, request: Request) -> Response:
        body, _ = decode(await request.body(), UnloadBody)
        return PlainTextResponse(self._adapters.unload(body))

    async def _kv_event_sources(self, request: Request) -> Response:
        """Event sources by data-parallel rank; nothing when the engine publishes none."""
        if self._publisher is None:
            return JSONResponse({})
        source = {
            "enable_kv_cache_events": True,
            "publisher": "zmq",
            "endpoint": self._publisher.endpoint,
            "replay_endpoint": self._publisher.replay_endpoint,
            "buffer_steps": BUFFERED_STEPS,
            "topic": self._publisher.topic,
        }
        return JSONResponse({"0": source})

    async def _tokenize(self, request: Request) -> Response:
        body, raw = decode(await request.body(), TokenizeBody)
        tokens = body.tokens(raw, self._engine.tokenizer)
        strings = [self._engine.tokenizer.decode([token]) for token in tokens] if body.return_token_strs else None
        answer = {"count": len(tokens), "max_model_len": self._max_model_len, "tokens": tokens, "token_strs": strings}
        return JSONResponse(answer)

    async def _detokenize(self, request: Request) -> Response:
        body, _ = decode(await request.body(), DetokenizeBody)
        return JSONResponse({"prompt": self._engine.tokenizer.decode(body.tokens)})


async def _refuse(request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        raise error
    log.info("refused", extra={"path": request.url.path, "status": error.status, "kind": error.kind})
    return error.response()


async def _unreadable(request: Request, error: Exception) -> Response:
    return await _refuse(request, bad_request(str(error), "messages"))
