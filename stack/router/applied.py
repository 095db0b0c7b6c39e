"""The configuration a router runs by: one immutable snapshot, swapped whole; a request reads it once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from stack.control.decision import Arm
from stack.control.link import RouterConfig, Trial
from stack.control.session_key import session_key
from stack.control.state import NO_LIMITS, LoadLimits, ModelState
from stack.engines.pd.base import Link, link
from stack.model.tier import Pool
from stack.registry import UnknownNameError
from stack.router.sessions import NO_PLACES, SessionPlaces
from stack.router.shelf import StrategyShelf
from stack.strategies.base import canonical
from stack.strategies.disaggregation import DpdPolicy, Named, PoolStrategies


@dataclass(frozen=True, slots=True)
class Served:
    """How one model is served: by which strategies, when it is disaggregated, how the KV gets across, how much at once, how
    often the other strategies decide along, and where a request's session is found.

    `beside` are all strategies of each pool, to decide along. `fork` is an experiment's two ways of it, None while there is none;
    `arm` says which of the two this is.
    """

    strategies: PoolStrategies
    policy: DpdPolicy
    link: Link = field(default_factory=lambda: link(None, None))
    limits: LoadLimits = NO_LIMITS
    shadow_share: float = 0.0
    eject_stalled: bool = False
    session_places: SessionPlaces = NO_PLACES
    beside: Mapping[Pool, tuple[Named, ...]] = field(default_factory=dict)
    fork: Fork | None = None
    experiment: str | None = None
    arm: Arm | None = None


@dataclass(frozen=True, slots=True)
class Fork:
    """Both ways of serving a model, whole; the candidate's for `share` of what is drawn."""

    experiment: str
    share: float
    control: Served
    candidate: Served


@dataclass(frozen=True, slots=True)
class Applied:
    """One generation, whole. `version` is control's, None until control has spoken; `others` routers send to these engines."""

    version: int | None = None
    generation: int = 0
    models: Mapping[str, Served] = field(default_factory=lambda: MappingProxyType({}))
    draining: frozenset[str] = frozenset()
    others: bool = False

    @property
    def experiments(self) -> tuple[str, ...]:
        """Those that run here."""
        return tuple(served.fork.experiment for served in self.models.values() if served.fork is not None)


class Configuration:
    """Holds the snapshot in force. Applying one that names an unknown strategy changes nothing."""

    def __init__(
        self,
        shelf: StrategyShelf,
        on_applied: Callable[[Applied], None] = lambda applied: None,
        clock: Callable[[], float] = time.monotonic,
        *,
        observes: bool = False,
    ) -> None:
        """`observes`: nothing is carried out here, so there is nothing to try."""
        self._shelf = shelf
        self._observes = observes
        self._on_applied = on_applied
        self._clock = clock
        self._confirmed_at: float | None = None
        self._defaults: dict[str, Served] = {}
        self.current = Applied()

    def apply(self, config: RouterConfig) -> None:
        """Replace the snapshot by `config`. Raises UnknownNameError and ValueError, and then keeps what it had."""
        models = {name: self._served(name, state) for name, state in config.models.items()}
        forked = {name: self._forked(name, models[name], trial) for name, trial in config.experiments.items() if name in models}
        applied = MappingProxyType(models | forked)
        self.current = Applied(config.version, config.generation, applied, frozenset(config.draining), config.others)
        self._on_applied(self.current)

    def confirm(self) -> None:
        """Control answers, and has nothing newer that this router could apply."""
        self._confirmed_at = self._clock()

    @property
    def age_seconds(self) -> float | None:
        """Since that was last so: what is in force stays in force however long that is. None before control has spoken."""
        return None if self._confirmed_at is None else self._clock() - self._confirmed_at

    def preset(self, models: Mapping[str, ModelState]) -> None:
        """Run by `models` until control speaks: generation 0. Raises UnknownNameError."""
        self.current = Applied(models=MappingProxyType({name: self._served(name, state) for name, state in models.items()}))
        self._on_applied(self.current)

    def default(self, model: str) -> Served:
        """How a model is served that no configuration names: engines of it exist, so it is served."""
        if model not in self._defaults:
            self._defaults[model] = self._served(model, ModelState())
        return self._defaults[model]

    def _served(self, model: str, state: ModelState) -> Served:
        pools = state.pools
        strategies = PoolStrategies(self._acting(model, Pool.PREFILL, state), self._acting(model, Pool.DECODE, state))
        beside = {pool: tuple(self._shelf.of(model, pool, pools.of(pool).parameters).values()) for pool in Pool}
        policy = DpdPolicy(state.dpd.enabled, state.dpd.routing_threshold, state.dpd.min_uncached_tokens)
        across = link(pools.prefill.protocol, pools.decode.protocol)
        places = SessionPlaces.of(map(session_key, state.session_keys))
        return Served(strategies, policy, across, state.limits, state.shadow_share, state.eject_stalled, places, beside)

    def _forked(self, model: str, served: Served, trial: Trial) -> Served:
        """With the experiment, unless this router lacks what it takes: then it takes no part, and reports none."""
        if self._observes:
            return served
        try:
            candidate = self._served(model, trial.candidate)
        except (UnknownNameError, ValueError):
            return served
        control = replace(served, experiment=trial.id, arm=Arm.CONTROL)
        return replace(
            served, fork=Fork(trial.id, trial.share, control, replace(candidate, experiment=trial.id, arm=Arm.CANDIDATE))
        )

    def _acting(self, model: str, pool: Pool, state: ModelState) -> Named:
        own = state.pools.of(pool)
        acting, fallback = (
            self._shelf.named(model, pool, canonical(name), own.parameters)
            for name in (own.strategy or state.strategy, state.fallback_strategy)
        )
        return replace(acting, fallback=fallback)
