"""Tokenizing's figures as Prometheus sees them."""

from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters.model_tokens import TokenUse
from stack.router.token_collector import TokenCollector


def test_tokens_are_counted_by_where_they_came_from() -> None:
    registry = CollectorRegistry()
    registry.register(TokenCollector(lambda: [TokenUse("m", 30, 10, 4096)]))
    assert [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")] == [
        'kvdeck_router_tokenized_tokens_total{model_name="m",source="cache"} 30.0',
        'kvdeck_router_tokenized_tokens_total{model_name="m",source="computed"} 10.0',
        'kvdeck_router_token_cache_bytes{model_name="m"} 4096.0',
    ]
