"""Everything control is made of, joined."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from stack.api.board import Board
from stack.api.cache_board import CacheBoard
from stack.api.cache_routes import CacheRoutes
from stack.api.cache_telemetry import CacheTelemetry
from stack.api.changes import ACK_SECONDS, Changes
from stack.api.decision_routes import DecisionRoutes
from stack.api.decision_stream import Feed
from stack.api.drainers import Drainers
from stack.api.field_board import FieldBoard
from stack.api.followed_telemetry import FollowedTelemetry
from stack.api.follower import Follower
from stack.api.gate import Gate
from stack.api.history_routes import HistoryRoutes
from stack.api.link_routes import LinkRoutes
from stack.api.mirror import Mirror
from stack.api.openapi_route import with_openapi
from stack.api.reconciler import Reconciler
from stack.api.report_routes import ReportRoutes
from stack.api.reporter import Reporter
from stack.api.ring import DecisionRing
from stack.api.routers import Routers
from stack.api.self_routes import self_routes
from stack.api.server import create_app
from stack.api.sight import Sight
from stack.api.state_routes import StateRoutes
from stack.api.telemetry import Telemetry
from stack.api.token_telemetry import Tokens, TokenTelemetry
from stack.api.what_if_routes import WhatIfRoutes
from stack.control.counterpart import Counterpart
from stack.control.flights import Flights
from stack.control.mode import LIVE, Stance
from stack.control.opening import Opening
from stack.control.ports import DecisionLog, ExperimentStore, PoolScaler, ReportStore, Store
from stack.control.reconcile import Patience
from stack.control.state import Desired
from stack.model.target import Target
from stack.wiring.assembled import Control
from stack.wiring.control_alerts import NO_WATCHERS, Watchers, watching_routes
from stack.wiring.control_experiments import experimenting
from stack.wiring.control_tiers import NO_BACKENDS, Backends, keepers


def assemble(
    *,
    begin: Opening,
    store: Store,
    reports: ReportStore,
    experiments: ExperimentStore,
    scaler: PoolScaler,
    known: tuple[str, ...],
    targets: Callable[[], Sequence[Target] | None],
    cache: CacheBoard,
    tokens: Tokens | None = None,
    patience: Patience | None = None,
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
    ack_seconds: float = ACK_SECONDS,
    files: DecisionLog | None = None,
    stance: Stance = LIVE,
    allow_experiments: bool = False,
    declared: Callable[[], Desired] | None = None,
    flights: Flights | None = None,
    backends: Backends = NO_BACKENDS,
    counterpart: Counterpart | None = None,
    life: int | None = None,
    watching: Watchers = NO_WATCHERS,
) -> Control:
    """Every part of control, wired. `known` are the strategies there are; `targets` answers with the engines when they changed;
    `cache` is what is known of the caches behind them; `declared` reads the file that is followed in declarative mode. Without
    `allow_experiments` none begins, and none goes on. `flights` are changes of pools that may be under way from an earlier life,
    `backends` are where the tiers are changed; `counterpart` judges changes, too, and follows what is desired. `life` is what the
    store gave this life, which versions begin at; without it the wall clock's milliseconds. `watching` are who know of alerts.
    """
    began = int(wall() * 1000) if life is None else life
    board = Board(begin.kept, began, flights)
    routers, ring = Routers(clock), DecisionRing()
    sight = Sight(board, routers, wall)
    telemetry = Telemetry(board, sight.members, files, stance.mode)
    feed = Feed(ring, began, telemetry.slow_reader)
    if files is not None:
        ring.listeners.append(lambda came: files.offer([entry.json for entry in came]))
    reporter = Reporter(board=board, ring=ring, sight=sight, store=reports, wall=wall)
    reconciler = Reconciler(
        board=board,
        routers=routers,
        sight=sight,
        scaler=scaler,
        store=store,
        targets=targets,
        clock=clock,
        wall=wall,
        patience=patience,
        stance=stance,
    )
    kept = keepers(backends, board=board, sight=sight, cache=cache, store=store, clock=clock, wall=wall, stance=stance)
    changes = Changes(
        board=board,
        routers=routers,
        sight=sight,
        store=store,
        strategies=known,
        telemetry=telemetry,
        wall=wall,
        woken=[reconciler.poke, *kept.pokes],
        stance=stance,
        counterpart=counterpart,
        ack_seconds=ack_seconds,
    )
    asked = StateRoutes(
        board=board,
        routers=routers,
        sight=sight,
        changes=changes,
        telemetry=telemetry,
        drainers=Drainers(board, store),
        stance=stance,
        fields=FieldBoard(board, routers, sight, ring, store, wall),
    )
    history = HistoryRoutes(store=store)
    linked = LinkRoutes(board=board, routers=routers, ring=ring, reported=reconciler.poke)
    told = DecisionRoutes(ring=ring, feed=feed, files=files)
    telemetry.watch(CacheTelemetry(cache.directory))
    telemetry.watch(FollowedTelemetry(stance, sight))
    if tokens is not None:
        telemetry.watch(TokenTelemetry(tokens))
    trials = experimenting(
        board=board,
        routers=routers,
        ring=ring,
        changes=changes,
        store=store,
        kept=experiments,
        wall=wall,
        ack_seconds=ack_seconds,
        stance=stance,
        allowed=allow_experiments,
    )
    cached = CacheRoutes(board=cache)
    measured = ReportRoutes(board=board, reporter=reporter)
    tried = WhatIfRoutes(board=board, ring=ring, sight=sight)
    routes = with_openapi(
        [
            *asked.routes(),
            *history.routes(),
            *told.routes(),
            *linked.routes(),
            *cached.routes(),
            *measured.routes(),
            *tried.routes(),
            *trials.routes,
            *self_routes(),
            *watching_routes(watching, board=board, store=store, sight=sight, cache=cache, clock=clock, wall=wall),
        ]
    )
    follower = None
    if declared is not None:
        name = stance.file or ""
        follower = Follower(
            read=declared, name=name, board=board, changes=changes, sight=sight, store=store, clock=clock, wall=wall
        )
    mirror = None
    if counterpart is not None:
        mirror = Mirror(counterpart=counterpart, board=board, sight=sight, store=store, stance=stance, wall=wall)
    gate = Gate(stance, board, store, wall, telemetry.refused)
    return Control(
        app=create_app(routes, None if tokens is None else tokens.grants, telemetry.refused, gate),
        board=board,
        reconciler=reconciler,
        feed=feed,
        reporter=reporter,
        judging=trials.judging,
        returning=trials.returning,
        follower=follower,
        tiers=kept.tiers,
        mirror=mirror,
        caches=kept.caches,
    )
