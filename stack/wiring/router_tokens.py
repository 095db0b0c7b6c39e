"""The router's tokenizers: their threads, their caches, their figures."""

from __future__ import annotations

from contextlib import AsyncExitStack

import httpx
from prometheus_client import CollectorRegistry

from stack.adapters.model_tokens import ModelTokens
from stack.adapters.token_threads import TokenThreads
from stack.router.settings import RouterSettings
from stack.router.token_collector import TokenCollector


def model_tokens(
    client: httpx.AsyncClient, settings: RouterSettings, registry: CollectorRegistry, resources: AsyncExitStack
) -> ModelTokens:
    """They end with `resources`."""
    threads = TokenThreads(settings.tokenize_threads, settings.tokenize_queue, settings.tokenize_wait_s)
    resources.callback(threads.close)
    tokens = ModelTokens(client, threads, settings.inline_tokenize_characters, settings.token_cache_bytes)
    registry.register(TokenCollector(tokens.use))
    return tokens
