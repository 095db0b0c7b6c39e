"""`kvdeck bench router`: installs, starts everything pinned, measures in turn, ends everything."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from stack.bench.router import nginx
from stack.bench.router.chats import chats
from stack.bench.router.figures import Report, Round, Streams, report, row
from stack.bench.router.neighbours import Neighbours
from stack.bench.router.peers import SGLANG_ROUTER, VLLM_ROUTER, Peer
from stack.bench.router.placement import place
from stack.bench.router.process import Pinned, ProcessError, Yard, end_on_sigterm
from stack.bench.router.setting import Setting
from stack.bench.router.stand import Stand, await_answers, await_ready, free_ports
from stack.bench.router.streaming import RATE, StreamStand
from stack.bench.router.subjects import OURS, OURS_SEVERAL, OURS_SIMPLE, OWN_PACKAGE, YARDSTICK, Own, Subject
from stack.bench.router.tools import Tools, find_tools
from stack.bench.router.wrk import Load
from stack.config import Layout
from stack.local.checklist import Checklist
from stack.local.cores import hardware_siblings, usable_cores
from stack.local.install.debian import Debian
from stack.local.install.plan import InstallError

_PEERS = ((VLLM_ROUTER, "round_robin"), (VLLM_ROUTER, "cache_aware"), (SGLANG_ROUTER, "cache_aware"))
_OWN = ((OURS, "prefix_aware", 1), (OURS_SIMPLE, "round_robin", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """`seconds` is one run's; `streams` 0 leaves streaming out; `workers` above 1 are measured, too; `force`: on one core."""

    rounds: int = 5
    seconds: float = 3.0
    connections: int = 32
    streams: int = 200
    workers: int = 1
    peers: bool = True
    force: bool = False


@dataclass(frozen=True, slots=True)
class _Running:
    subject: Subject
    process: Pinned


@dataclass(frozen=True, slots=True)
class _Taken:
    """The rounds of each router, what goes without one, and the share of the machine that others had."""

    rounds: list[list[Round]]
    direct: list[float]
    others: float


def run(layout: Layout, options: BenchOptions, console: Console) -> Report:
    """The whole benchmark, shown on `console` while it lasts. Raises OneCoreError, InstallError, ProcessError, LoadError."""
    end_on_sigterm()
    with (
        tempfile.TemporaryDirectory(prefix="kvdeck-bench-") as folder,
        Yard(layout.logs) as yard,
        Checklist(console) as checklist,
    ):
        return _Bench(layout, options, Path(folder), yard, checklist).measure()


class _Bench:
    """What one benchmark has at hand; nothing of it outlives the run but what was installed."""

    def __init__(self, layout: Layout, options: BenchOptions, folder: Path, yard: Yard, checklist: Checklist) -> None:
        self._layout, self._options, self._folder, self._yard, self._checklist = layout, options, folder, yard, checklist
        self._placement = place(usable_cores(), hardware_siblings, workers=options.workers, force=options.force)
        self._chats = chats()
        self._several = OURS_SEVERAL.format(options.workers)
        self._missing: dict[str, str] = {}

    def measure(self) -> Report:
        with self._checklist.step("nginx and wrk") as step:
            tools = find_tools(Debian(self._layout.binaries, self._layout.logs / "debian.log"), step)
        installed = dict(self._installed()) if self._options.peers else {}
        load = Load(tools.wrk, self._folder, tools.library_path)
        load.prepare(self._chats)
        with self._checklist.step("Back end and routers"):
            backends, control = self._back_ends(tools)
            routers = [*self._own(backends, control), *self._peers(installed, backends)]
        stand = Stand(load, self._placement, self._options.connections, self._options.seconds)
        taken = self._rounds(stand, backends[0], routers)
        return self._report(tools, routers, taken, self._streams(control))

    def _installed(self) -> Iterator[tuple[Peer, Path]]:
        """The interpreter of each peer's environment; what cannot be installed is noted."""
        for peer in dict.fromkeys(peer for peer, _ in _PEERS):
            environment = peer.environment(self._layout)
            try:
                with self._checklist.step(f"{peer.package} {peer.version}") as step:
                    peer.ensure(environment, step)
            except InstallError as error:
                self._missing |= {f"{peer.package} {policy}": str(error) for other, policy in _PEERS if other is peer}
            else:
                yield peer, environment.python

    def _back_ends(self, tools: Tools) -> tuple[list[str], str]:
        """Two addresses of the canned back end, and the canned control's."""
        *ports, control = free_ports(3)
        written = self._folder / "nginx.conf"
        written.write_text(nginx.config(ports, self._folder))
        self._yard.start("nginx", nginx.command(tools.nginx, written), self._placement.others)
        self._canned("control", [control])
        return [_url(port) for port in ports], _url(control)

    def _canned(self, name: str, ports: Sequence[int]) -> Pinned:
        argv = (sys.executable, "-m", "stack.wiring.bench_canned", str(RATE), *map(str, ports))
        return self._yard.start(f"canned {name}", argv, self._placement.others)

    def _own(self, backends: Sequence[str], control: str) -> Iterator[_Running]:
        own = Own(self._folder, control)
        own.prepare(backends)
        several = self._options.workers
        for name, strategy, workers in (*_OWN, *([(self._several, "prefix_aware", several)] if several > 1 else ())):
            port = free_ports(1)[0]
            argv = own.command(strategy, port, workers)
            yield self._ready(Subject(name, OWN_PACKAGE, version(OWN_PACKAGE), argv, port, workers))

    def _peers(self, installed: dict[Peer, Path], backends: Sequence[str]) -> Iterator[_Running]:
        for peer, policy in _PEERS:
            if peer not in installed:
                continue
            port, metrics = free_ports(2)
            argv = peer.command(installed[peer], policy, port, metrics, backends)
            subject = Subject(f"{peer.package} {policy}", peer.package, peer.version, argv, port)
            try:
                yield self._ready(subject)
            except ProcessError as error:
                self._missing[subject.name] = str(error)

    def _ready(self, subject: Subject) -> _Running:
        cores = self._placement.router if subject.processes == 1 else self._placement.workers
        process = self._yard.start(subject.name, subject.argv, cores)
        await_answers(subject.url, self._chats, process)
        return _Running(subject, process)

    def _rounds(self, stand: Stand, backend: str, routers: Sequence[_Running]) -> _Taken:
        """The rounds of each router, in turn and beginning with another one each time; and what goes without a router."""
        neighbours, taken, direct = Neighbours(self._yard), [list[Round]() for _ in routers], list[float]()
        with self._checklist.step("Measuring", total=self._options.rounds * len(routers)) as step:
            for number in range(self._options.rounds):
                direct.append(stand.run(backend, self._options.connections, self._options.seconds).per_second)
                for turn in range(len(routers)):
                    which = (number + turn) % len(routers)
                    router = routers[which]
                    step.detail(router.subject.name)
                    alone = stand.run(backend, 1, self._options.seconds)
                    taken[which].append(stand.round(router.subject.url, router.process, alone))
                    step.advance()
        return _Taken(taken, direct, neighbours.share())

    def _streams(self, control: str) -> Streams | None:
        """Streams through a router of their own, over the canned streaming engine."""
        if not self._options.streams:
            return None
        folder = self._folder / "streams"
        folder.mkdir()
        *ports, routed = free_ports(3)
        own = Own(folder, control)
        own.prepare([_url(port) for port in ports])
        with self._checklist.step("Streaming"):
            self._canned("engines", ports)
            router = self._yard.start("kvdeck streaming", own.command("prefix_aware", routed), self._placement.router)
            await_ready(_url(routed), router)
            stand = StreamStand(self._placement.others, self._options.streams, max(2.0, self._options.seconds))
            return stand.measure(_url(ports[0]), _url(routed), router, self._options.rounds)

    def _report(self, tools: Tools, routers: Sequence[_Running], taken: _Taken, streams: Streams | None) -> Report:
        options, named = self._options, dict(zip((one.subject.name for one in routers), taken.rounds, strict=True))
        setting = Setting.of(self._placement, options.connections, options.seconds, options.workers, tools.versions())
        rows = {one.subject.name: row(one.subject, named[one.subject.name], named.get(YARDSTICK)) for one in routers}
        several = rows.get(self._several)
        return report(setting, rows[OURS], several, [*rows.values()], taken.direct, taken.others, streams, self._missing)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
