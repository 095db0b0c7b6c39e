"""The test stand: what runs while routers are measured, and one measurement after another on it."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
import msgspec

from stack.bench.router.chats import Chat
from stack.bench.router.figures import Round, difference
from stack.bench.router.nginx import ANSWER
from stack.bench.router.placement import Placement
from stack.bench.router.process import Pinned, ProcessError, output_of
from stack.bench.router.wrk import Load, Run, parse

PATH = "/v1/chat/completions"
_WARM_SECONDS = 1.0
_READY_SECONDS = 60.0
_READY_IN_A_ROW = 5
_NUMBERS_A_RUN = 10_000_000  # more than a run can ask
_OVERTIME_SECONDS = 30.0


@dataclass(slots=True)
class Stand:
    """Measures with `load` from the cores that are not the router's. Each run asks bodies that no run before it asked."""

    load: Load
    placement: Placement
    connections: int
    seconds: float
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(0, _NUMBERS_A_RUN))

    def run(self, url: str, connections: int, seconds: float) -> Run:
        """One run of the load. Raises ProcessError, LoadError."""
        argv = self.load.command(url + PATH, connections, seconds)
        environment = self.load.environment(next(self._numbers))
        return parse(output_of("wrk", argv, self.placement.others, environment, seconds + _OVERTIME_SECONDS))

    def round(self, url: str, process: Pinned, direct: Run) -> Round:
        """Throughput, CPU time and added latency of the router at `url`; `direct` is one connection without it, just before."""
        self.run(url, self.connections, _WARM_SECONDS)
        before = process.cpu_seconds()
        busy = self.run(url, self.connections, self.seconds)
        spent = process.cpu_seconds() - before
        alone = self.run(url, 1, self.seconds)
        clean = not busy.errors and busy.requests > 0
        quiet = not alone.errors and not direct.errors
        return Round(
            requests_per_second=busy.per_second if clean else None,
            cpu_us_per_request=spent / busy.requests * 1e6 if clean else None,
            added_p50_ms=difference(alone.p50_ms, direct.p50_ms) if quiet else None,
            added_p99_ms=difference(alone.p99_ms, direct.p99_ms) if quiet else None,
            errors=busy.errors + alone.errors,
        )


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on just now."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def await_answers(url: str, chats: Sequence[Chat], process: Pinned, sleep: Callable[[float], None] = time.sleep) -> None:
    """Until `url` gives the back end's answer to one chat after another. Raises ProcessError when it does not come to that."""
    expected = msgspec.json.decode(ANSWER)
    patience = time.monotonic() + _READY_SECONDS
    good, last = 0, "no answer"
    with httpx.Client(trust_env=False, timeout=5.0) as client:
        while good < _READY_IN_A_ROW:
            process.require_alive()
            if time.monotonic() > patience:
                raise ProcessError(f"{process.name} does not give the back end's answer ({last}): {process.log}")
            last = _answer(client, url, chats[good].body(0), expected)
            good = good + 1 if not last else 0
            if last:
                sleep(0.1)


def await_ready(url: str, process: Pinned, sleep: Callable[[float], None] = time.sleep) -> None:
    """Until our router at `url` says that it is ready. Raises ProcessError when it does not come to that."""
    patience = time.monotonic() + _READY_SECONDS
    with httpx.Client(trust_env=False, timeout=5.0) as client:
        while not _is_ready(client, url):
            process.require_alive()
            if time.monotonic() > patience:
                raise ProcessError(f"{process.name} is not ready after {_READY_SECONDS:.0f} s: {process.log}")
            sleep(0.1)


def _is_ready(client: httpx.Client, url: str) -> bool:
    try:
        return client.get(f"{url}/ready").is_success
    except httpx.HTTPError:
        return False


def _answer(client: httpx.Client, url: str, body: str, expected: object) -> str:
    """What is wrong with the answer; nothing when it is the back end's."""
    try:
        answer = client.post(url + PATH, content=body, headers={"content-type": "application/json"})
        if answer.status_code != 200:
            return f"status {answer.status_code}"
        return "" if msgspec.json.decode(answer.content) == expected else "another body than the back end's"
    except (httpx.HTTPError, msgspec.DecodeError) as error:
        return type(error).__name__
