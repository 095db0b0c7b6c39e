"""`kvdeck bench exporter`: starts canned engines and the exporter, asks it for its page, ends both."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

from stack.bench.exporter import page
from stack.bench.exporter.canned import exposition
from stack.bench.exporter.report import Named, Report, report
from stack.bench.router.stand import free_ports
from stack.model.target import Target, encode
from stack.model.tier import Pool

_START_S, _ANSWER_S = 30.0, 60.0
_MB = 1e6
_MODELS_A_SERVER = 5_000  # what a page of the size that is read at all can name
_CACHE_S = 5
_PAUSE_S = 0.02


class BenchError(RuntimeError):
    """The exporter did not answer in time, or did not read what it was to read: nothing was measured."""


def run(targets: int, size: int, collections: int, cached_seconds: float, models: int, tell: Callable[[str], None]) -> Report:
    """All measures, one after the other; `tell` is told what is being done. Raises BenchError."""
    engines, port = free_ports(2)
    with tempfile.TemporaryDirectory(prefix="kvdeck-") as folder, _process("stack.wiring.bench_fleet", str(engines), str(size)):
        file = Path(folder) / "engines.json"
        file.write_bytes(encode([_target(number, engines) for number in range(targets)]))
        base = ("--web.listen-address", f"127.0.0.1:{port}", "--target.file", str(file), "--scrape.timeout", "60")
        tell(f"{collections} collections")
        with _process("exporters", *base) as exporter:
            cpu, resident, series = _collect(exporter, port, collections, targets)
        tell(f"{cached_seconds:.0f} s of pages with the cache on")
        with _process("exporters", *base, "--cache.interval", str(_CACHE_S)) as exporter:
            pages, cached_mb = _pages(exporter, port, cached_seconds)
        tell(f"{models:,} model names")
        with _process("exporters", *base[:2], *base[4:], *_named(models, engines)):
            shown = _models(port, -(-models // _MODELS_A_SERVER))
    named = Named(models, shown)
    return report(targets, len(exposition(size)), cpu, series, pages, resident, cached_mb, named)


def _named(models: int, port: int) -> Iterator[str]:
    """LMCache servers whose clients named so many models."""
    for server, first in enumerate(range(0, models, _MODELS_A_SERVER)):
        url = f"http://127.0.0.1:{port}/models/{server}/{min(_MODELS_A_SERVER, models - first)}"
        yield from ("--lmcache", f"lmcache-{server}={url}")


def _models(port: int, servers: int) -> int:
    with _client(port) as client:
        told = client.get("/metrics").content
    _check(told, servers)
    return page.models(told)


def _check(told: bytes, targets: int) -> None:
    if (fault := page.fault(told, targets)) is not None:
        raise BenchError(fault)


def _target(number: int, port: int) -> Target:
    return Target(
        replica=f"decode-{number}",
        url=f"http://127.0.0.1:{port}",
        pool=Pool.DECODE,
        model="bench",
        model_root="/bench",
        metrics_path=f"/{number}/metrics",  # else they would all be one
    )


@contextmanager
def _process(module: str, *arguments: str) -> Iterator[psutil.Process]:
    started = subprocess.Popen([sys.executable, "-m", module, *arguments], stderr=subprocess.DEVNULL)
    try:
        yield psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait()


def _collect(exporter: psutil.Process, port: int, collections: int, targets: int) -> tuple[list[float], list[float], int]:
    cpu, resident, series = [], [], 0
    with _client(port) as client:
        for _ in range(collections):
            before = exporter.cpu_times()
            told = client.get("/metrics").content
            after = exporter.cpu_times()
            cpu.append(after.user + after.system - before.user - before.system)
            resident.append(exporter.memory_info().rss / _MB)
            series = page.series(told)
            _check(told, targets)
    return cpu, resident, series


def _pages(exporter: psutil.Process, port: int, seconds: float) -> tuple[list[float], float]:
    took: list[float] = []
    with _client(port) as client:
        deadline = time.monotonic() + _START_S
        while not client.get("/metrics").content and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.perf_counter()
            client.get("/metrics").raise_for_status()
            took.append(time.perf_counter() - began)
            time.sleep(_PAUSE_S)
    return took, exporter.memory_info().rss / _MB


@contextmanager
def _client(port: int) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=_ANSWER_S, trust_env=False) as client:
        deadline = time.monotonic() + _START_S
        while True:
            try:
                client.get("/healthz").raise_for_status()
                break
            except httpx.TransportError as error:
                if time.monotonic() > deadline:
                    raise BenchError(f"the exporter did not answer within {_START_S:.0f} s") from error
                time.sleep(0.1)
        yield client
