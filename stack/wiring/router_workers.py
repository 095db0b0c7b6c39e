"""The process that leads a router of several workers: reserves the port, keeps the workers running, tells their metrics as one."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from stack.adapters import logs
from stack.adapters.exposed import decode, text
from stack.adapters.local_answer import answering, ask
from stack.local.backoff import Backoff
from stack.local.runtime_folder import ROOT
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.merging import Exposed, Totals, merged
from stack.router.crew import Crew
from stack.router.exposition import WORKER_S, Seat
from stack.wiring.router_options import SERVING, RouterOptions

log = logging.getLogger(__name__)

# Beyond what a worker takes to drain: for closing its connections to engines and control.
_GRACE_SECONDS = 5.0


def run(options: RouterOptions, workers: int) -> None:
    """Serve with that many processes until SIGTERM or SIGINT, then drain all of them. Raises OSError, CrewError."""
    logs.configure()
    with tempfile.TemporaryDirectory(prefix="kvdeck-router-", dir=ROOT) as folder, _reserved(options) as held:
        asyncio.run(_lead(replace(options, port=held), workers, Path(folder)))


@contextmanager
def _reserved(options: RouterOptions) -> Iterator[int]:
    """The port, bound but not listened on: it stays this router's while a worker starts anew. Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(address)
        yield int(held.getsockname()[1])


async def _lead(options: RouterOptions, workers: int, folder: Path) -> None:
    backoffs = [Backoff() for _ in range(workers)]
    totals = Totals()
    crew = Crew(
        workers,
        lambda number: _started(replace(options, router_id=f"{options.router_id}-w{number}", seat=Seat(number, folder))),
        lambda number, up: backoffs[number].failed(up),
        totals.ended,
        time.monotonic,
    )
    gathering = Gathering(folder, workers, crew, totals)
    loop, stopping = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    grace = options.settings.accept_delay_s + options.settings.drain_s + _GRACE_SECONDS
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: stopping.add(loop.create_task(crew.stop(grace), name="stop")))
    server = await answering(Seat(0, folder).leader, gathering.text)
    try:
        await crew.run()
    finally:
        server.close()
    await asyncio.gather(*stopping)
    log.info("router stopped", extra={"restarts": crew.restarts})


@dataclass(frozen=True, slots=True)
class Gathering:
    """The exposition of all workers, asked for now."""

    folder: Path
    workers: int
    crew: Crew
    totals: Totals

    async def text(self) -> bytes:
        """Of every worker that answers in time; those that do not are counted."""
        running = sorted(self.crew.running)
        answers = await asyncio.gather(*(ask(Seat(number, self.folder).socket, WORKER_S) for number in running))
        counted = [number for number, answer in zip(running, answers, strict=True) if answer and self._heard(number, answer)]
        return text(merged([self.totals.exposed(counted), self._about(len(counted), len(running))]))

    def _heard(self, number: int, answer: bytes) -> bool:
        try:
            self.totals.heard(number, decode(answer))
        except msgspec.DecodeError:  # it was killed in the middle of a word
            return False
        return True

    def _about(self, counted: int, running: int) -> Exposed:
        states = {"counted": counted, "silent": running - counted, "down": self.workers - running}
        name, restarts = catalog.ROUTER_WORKERS.name, catalog.ROUTER_WORKER_RESTARTS.name
        return {
            name: [(name, ((Label.STATE.value, state),), float(count)) for state, count in states.items()],
            restarts: [(restarts, (), float(self.crew.restarts))],
        }


async def _started(options: RouterOptions) -> _Process:
    """A worker's process; its log goes where ours goes. Raises OSError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "stack.wiring.router_worker", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(options))
    with suppress(ConnectionError):  # it ended already, which `serves` tells
        await process.stdin.drain()
    return _Process(process)


@dataclass(frozen=True, slots=True)
class _Process:
    process: asyncio.subprocess.Process

    async def serves(self) -> bool:
        assert self.process.stdout is not None
        return await self.process.stdout.readline() == SERVING

    async def wait(self) -> int:
        return await self.process.wait()

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.process.terminate()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
