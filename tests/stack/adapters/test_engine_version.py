"""An engine's version, in its own words or not at all."""

import pytest

from stack.adapters.engine_version import engine_version
from tests.exporters.recorded import Hosts, json, text


async def told(document: bytes) -> str | None:
    async with Hosts({"http://e/version": json(document)}).client() as client:
        return await engine_version(client, "http://e")


async def test_the_version_is_what_the_engine_says() -> None:
    assert await told(b'{"version": "0.32.0"}') == "0.32.0"
    assert await told(b'{"version": "%s"}' % (b"x" * 100)) == "x" * 64


@pytest.mark.parametrize("document", [b"[]", b'{"version": 3}', b"<html>", b"{}"])
async def test_an_engine_that_does_not_say_has_none(document: bytes) -> None:
    assert await told(document) is None


async def test_an_engine_without_the_page_has_none() -> None:
    async with Hosts({"http://e/metrics": text(b"")}).client() as client:
        assert await engine_version(client, "http://e") is None
