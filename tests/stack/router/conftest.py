"""Which event loops the router's tests run on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

# The router runs on uvloop; what speaks to transports itself must hold on asyncio's own loop as well.
ON_BOTH_LOOPS = {"test_wire.py", "test_upstream.py"}


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    asyncios: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
    return asyncios | {"uvloop": uvloop.new_event_loop} if item.path.name in ON_BOTH_LOOPS else asyncios
