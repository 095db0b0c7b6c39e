"""The control process: what is what, and in which order it begins and ends."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
import sys
import time

import httpx
import msgspec
import uvloop

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.adapters.audit_store import SqliteStore
from stack.adapters.cache_quotas import LMCacheQuotas
from stack.adapters.experiment_store import SqliteExperiments
from stack.adapters.folder_lock import only_control
from stack.adapters.lines_out import LinesOut
from stack.adapters.report_store import SqliteReports
from stack.adapters.store_limits import store_limits
from stack.adapters.token_file import TokenFiles
from stack.api.desired_file import DesiredFile
from stack.api.guard import check_listen
from stack.api.listening import listening, url
from stack.api.settings import ControlConfigError, ControlSettings, Tls
from stack.control.audit import AuditLine
from stack.control.flights import Flights, recalled
from stack.control.mode import Mode, Stance
from stack.control.opening import Opening
from stack.control.reconcile import Patience
from stack.strategies import base as strategies
from stack.wiring.assembled import Control
from stack.wiring.control_alerts import Watchers, watchers
from stack.wiring.control_beginning import begun, moded
from stack.wiring.control_cache import cache_board, watching
from stack.wiring.control_parts import assemble
from stack.wiring.control_server import ControlServer
from stack.wiring.control_tiers import Backends
from stack.wiring.decision_files import decision_files
from stack.wiring.pools import Pools, check_targets, pools

log = logging.getLogger(__name__)

REMEMBERED = 200  # generations looked through at the start for changes of pools that may be under way


def run(settings: ControlSettings) -> None:
    """Serve until told to end. Raises ControlConfigError and the ValueErrors of what it is made of."""
    settings = moded(settings)
    tokens = TokenFiles(settings.tokens, time.monotonic) if settings.tokens else None
    check_listen(settings.host, tokens=tokens is not None, tls=settings.tls is not None, insecure=settings.insecure)
    _check_tls(settings.tls)
    check_targets(settings)
    with listening(settings.host, settings.port) as listener, only_control(settings.state_dir):
        lines = LinesOut(sys.stdout.buffer)
        store = SqliteStore(settings.state_dir, lambda record: lines.put(msgspec.json.encode(AuditLine(audit=record))))
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(_serve(settings, store, tokens, listener))
        finally:
            store.close()
            lines.close()


async def _serve(settings: ControlSettings, store: SqliteStore, tokens: TokenFiles | None, listener: socket.socket) -> None:
    begin = await begun(settings, store)
    flights = {} if begin.new else recalled(await store.generations(REMEMBERED), begin.kept.desired)
    async with pools(settings, begin.kept.desired) as running, watchers(settings) as alarms:
        await _run(settings, store, begin, flights, tokens, listener, running, alarms)


async def _run(
    settings: ControlSettings,
    store: SqliteStore,
    begin: Opening,
    flights: Flights,
    tokens: TokenFiles | None,
    listener: socket.socket,
    running: Pools,
    alarms: Watchers,
) -> None:
    followed = settings.followed
    files = decision_files(settings)
    life = await store.life(int(time.time() * 1000))
    cache = cache_board(settings.cache_store, life)
    asking = httpx.AsyncClient(trust_env=False)
    limits = None if settings.cache_store is None else store_limits(settings.cache_store)
    control = assemble(
        begin=begin,
        life=life,
        store=store,
        reports=SqliteReports(store.file),
        experiments=SqliteExperiments(store.file),
        scaler=running.scaler,
        known=strategies.names(),
        targets=running.targets,
        cache=cache,
        tokens=tokens,
        patience=Patience(drain=settings.drain_seconds),
        files=files,
        stance=Stance(settings.mode or Mode.LIVE, None if followed is None else str(followed), settings.comment_required),
        declared=None if followed is None else DesiredFile(followed).now,
        allow_experiments=settings.experiments,
        flights=flights,
        counterpart=running.counterpart,
        backends=Backends(store=limits, quotas=LMCacheQuotas(asking), host=running.host),
        watching=alarms,
    )
    await control.returning.take_up()
    await control.reconciler.tick()  # so that the first router to ask hears of engines that were draining before a restart
    if control.follower is not None:
        await control.follower.tick()  # what the file says is in force before anybody asks
    server = ControlServer(control.app, settings.tls)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _end, server, control)
    log.info(
        "control listens", extra={"url": url(listener, "https" if settings.tls else "http"), "generation": control.board.generation}
    )
    tasks = [asyncio.create_task(loop.run(), name=name) for name, loop in control.loops.items()]
    if files is not None:
        tasks.append(asyncio.create_task(files.run(), name="decision files"))
    try:
        async with watching(cache, settings.cache_store):
            await server.serve(sockets=[listener])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asking.aclose()
        if limits is not None:
            await limits.close()


def _end(server: ControlServer, control: Control) -> None:
    log.info("control ends")
    server.should_exit = True
    control.board.close()
    control.feed.close()


def _check_tls(tls: Tls | None) -> None:
    """Before anything is begun. Raises ControlConfigError."""
    if tls is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(tls.certificate, tls.key)
    except OSError as error:  # what is wrong with either is an SSLError, which is one
        raise ControlConfigError(f"{tls.certificate} and {tls.key} are no certificate and its key: {error}") from error
