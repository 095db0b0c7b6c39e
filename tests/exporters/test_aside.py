"""What is asked beside metrics, and what it may cost them."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from exporters.aside import aside
from stack.adapters.exposition import ExpositionError


async def an_answer() -> str:
    return "0.32.0"


async def refused() -> str:
    raise httpx.ConnectError("refused")


async def no_json() -> str:
    raise ExpositionError("not JSON")


async def never() -> str:
    await asyncio.get_running_loop().create_future()
    return ""


async def test_an_answer_is_handed_on() -> None:
    assert await aside(an_answer()) == "0.32.0"


@pytest.mark.parametrize("asked", [refused, no_json, never])
async def test_a_page_that_fails_or_hangs_costs_nothing_but_its_answer(asked: Callable[[], Awaitable[str]]) -> None:
    assert await aside(asked(), seconds=0.0) is None
