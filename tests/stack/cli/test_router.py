"""The router as a process: it starts from a command line, serves, and ends when it is told to."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from click.testing import CliRunner

from stack.cli.main import main
from stack.model.target import encode
from tests.stack.router.fakes import MODEL, FakeEngine
from tests.stack.router.waiting import until

PATIENCE_SECONDS = 120.0  # a process of ours starts within a second or two, on a busy machine within many


@asynccontextmanager
async def _router(
    tmp_path: Path, *engines: FakeEngine, config: str = "{}", workers: int = 1
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    targets = tmp_path / "engines.json"
    targets.write_bytes(encode([engine.target for engine in engines]))
    (tmp_path / "kvdeck.yaml").write_text(config)
    command = [
        sys.executable, "-m", "stack.cli.main", "router", "--listen", "127.0.0.1:0", "--targets", str(targets),
        "--secret-file", str(tmp_path / "secret"), "--config", str(tmp_path / "kvdeck.yaml"), "--expose-route-headers",
        "--drain", "5", "--workers", str(workers),
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    try:
        yield process, await _address(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for line in process.stderr:
            if found := re.search(rb"router serves.*port=(\d+)", line):
                return f"http://127.0.0.1:{found[1].decode()}"
    raise AssertionError("the router did not start")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_stream_outlives_the_signal_that_ends_the_router(tmp_path: Path, number: signal.Signals) -> None:
    engine = FakeEngine("decode-0")
    await engine.start()
    engine.go_on.clear()
    config = f"desired:\n  models:\n    {MODEL}:\n      strategy: session\nlocal:\n  anything: 1\n"
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "hello"}]}
    async with _router(tmp_path, engine, config=config) as (process, url), httpx.AsyncClient(base_url=url) as client:

        async def readiness() -> int:
            return (await client.get("/ready")).status_code

        async def ready() -> bool:
            return await readiness() == 200

        async def not_ready() -> bool:
            return await readiness() == 503

        await until(ready)
        async with client.stream("POST", "/v1/chat/completions", json=body) as answer:
            await engine.first_token_out.wait()
            process.send_signal(number)
            await until(not_ready)
            engine.go_on.set()
            text = await answer.aread()
        assert answer.headers["x-kvdeck-strategy"] == "session"
        assert text.endswith(b"data: [DONE]\n\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await process.wait() == 0
    await engine.stop()
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


async def test_a_configuration_that_is_wrong_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="did not start"):
        async with _router(tmp_path, config="desired:\n  models:\n    m:\n      strategy: magic\n") as _:
            pass


async def test_workers_share_the_port_and_are_counted_as_one_even_when_one_dies(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    await engine.start()
    body = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}
    async with _router(tmp_path, engine, workers=2) as (process, url), httpx.AsyncClient(base_url=url, trust_env=False) as client:

        async def figure(series: str) -> float | None:
            try:
                lines = (await client.get("/metrics", headers={"connection": "close"})).text.splitlines()
            except httpx.TransportError:  # it met the worker that was just killed
                return None
            return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(series)), None)

        async def both_count() -> bool:
            return await figure('kvdeck_router_workers{state="counted"}') == 2

        async def all_see_the_engine() -> bool:
            return (
                await figure(
                    f'kvdeck_router_engine_health{{backend="decode-0",model_name="{MODEL}",pool="decode",state="unknown"}}'
                )
            ) == 0

        await until(both_count)
        await until(all_see_the_engine)
        for _ in range(20):  # each over a connection of its own: the kernel deals them out
            answer = await client.post("/v1/chat/completions", json=body, headers={"connection": "close"})
            assert answer.status_code == 200
        requests = f'kvdeck_router_requests_total{{code="2xx",model_name="{MODEL}"'
        await until(lambda: _equals(figure(requests), 20))
        first, _ = psutil.Process(process.pid).children()
        first.kill()
        await until(lambda: _equals(figure("kvdeck_router_worker_restarts_total"), 1))
        await until(lambda: _equals(figure(requests), 20))
        await until(both_count)
        workers = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await process.wait() == 0
        assert [worker for worker in workers if worker.is_running()] == []
    await engine.stop()


async def _equals(asked: Awaitable[float | None], expected: float) -> bool:
    return await asked == expected


def test_workers_do_not_bind_one_address_for_events() -> None:
    command = ["router", "--targets", "t", "--secret-file", "s", "--workers", "2", "--kv-events-bind", "tcp://127.0.0.1:1"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, "--kv-events-bind is for one process" in result.output) == (2, True)


async def test_workers_end_when_nobody_leads_them(tmp_path: Path) -> None:
    async with _router(tmp_path, workers=2) as (process, _):
        await until(lambda: len(_sockets(process.pid)) == 2)
        workers = psutil.Process(process.pid).children()
        folder = _sockets(process.pid).pop().parent
        process.kill()
        await until(lambda: not any(worker.is_running() for worker in workers))
        assert not folder.exists()


def _sockets(leader: int) -> set[Path]:
    """Where each worker answers the one who leads it, as far as they have come."""
    workers = psutil.Process(leader).children()
    paths = [str(one.laddr) for worker in workers for one in worker.net_connections("unix")]
    return {Path(path) for path in paths if "/kvdeck-router-" in path}


def test_a_list_of_engines_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    told = ["--targets", str(tmp_path / "typo.json"), "--secret-file", str(tmp_path / "s")]
    done = CliRunner().invoke(main, ["router", *told])
    assert (done.exit_code, done.output) == (1, f"Error: --targets {tmp_path}/typo.json: No such file or directory\n")
