"""Whether a desired state makes sense as a whole; strategies in kvdeck's own spelling."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from stack.control.parameters import check_values, settled
from stack.control.refusal import RefusedError
from stack.control.session_key import session_key
from stack.control.state import Desired, ModelState, Pools, PoolState
from stack.control.tiers import SALT, Tiers
from stack.control.wrong import refusal_of
from stack.engines.pd import base as pd
from stack.strategies.base import NEEDS_PLACEMENT, canonical


def converted(model: str, document: object) -> ModelState:
    """`document` as the state of `model`, every type and bound checked. Raises RefusedError with the field's path."""
    check_values(f"models.{model}", document)
    try:
        return msgspec.convert(document, ModelState)
    except msgspec.ValidationError as error:
        raise refusal_of(error, document, ModelState, "models", model) from error


def converted_tiers(document: object) -> Tiers:
    """`document` as the desired tiers, every type and bound checked. Raises RefusedError with the field's path."""
    try:
        tiers = msgspec.convert(document, Tiers)
    except msgspec.ValidationError as error:
        raise refusal_of(error, document, Tiers, "tiers") from error
    for salt in tiers.l2.quotas:
        if not SALT.fullmatch(salt):
            raise RefusedError("tiers.l2.quotas", f"{salt!r} cannot have a quota: 1 to 256 characters without a slash are allowed")
    return tiers


def validated(desired: Desired, known: Collection[str]) -> Desired:
    """`desired` with canonical strategy names. `known` are the strategies there are. Raises RefusedError."""
    if not desired.models:
        raise RefusedError("models", "no model is served")
    models = {name: _model(f"models.{name}", state, known) for name, state in desired.models.items()}
    return msgspec.structs.replace(desired, models=models)


def _model(field: str, state: ModelState, known: Collection[str]) -> ModelState:
    if state.pools.decode.replicas < 1:
        raise RefusedError(f"{field}.pools.decode.replicas", "at least one decode engine must stay: without one nothing is served")
    if state.dpd.enabled and state.pools.prefill.replicas < 1:
        raise RefusedError(
            f"{field}.pools.prefill.replicas",
            "DPD needs a prefill engine: keep prefill.replicas at 1 or more, or set dpd.enabled to false in the same change",
        )
    if state.limits.queue and not state.limits.bounded:
        raise RefusedError(
            f"{field}.limits.queue",
            "nothing ever waits without a limit on what is in flight: set limits.in_flight or limits.in_flight_per_engine as well",
        )
    pools = Pools(
        prefill=_pool(f"{field}.pools.prefill", state.pools.prefill, known),
        decode=_pool(f"{field}.pools.decode", state.pools.decode, known),
    )
    _check_session_keys(f"{field}.session_keys", state.session_keys)
    return msgspec.structs.replace(
        state,
        strategy=_strategy(f"{field}.strategy", state.strategy, known),
        fallback_strategy=_fallback(f"{field}.fallback_strategy", state.fallback_strategy, known),
        pools=pools,
    )


def _fallback(field: str, name: str, known: Collection[str]) -> str:
    own = _strategy(field, name, known)
    if own == NEEDS_PLACEMENT:
        raise RefusedError(field, f"{own} cannot stand in for itself: it is placement that is missing then")
    return own


def _check_session_keys(field: str, keys: Collection[str]) -> None:
    for text in keys:
        try:
            session_key(text)
        except ValueError as error:
            raise RefusedError(field, str(error)) from error


def _pool(field: str, pool: PoolState, known: Collection[str]) -> PoolState:
    _check_bounds(field, pool)
    strategy = None if pool.strategy is None else _strategy(f"{field}.strategy", pool.strategy, known)
    protocol = None if pool.protocol is None else _protocol(f"{field}.protocol", pool.protocol)
    parameters = settled(f"{field}.parameters", pool.parameters, known)
    drained = tuple(sorted(set(pool.drained)))
    return msgspec.structs.replace(pool, strategy=strategy, parameters=parameters, protocol=protocol, drained=drained)


def _check_bounds(field: str, pool: PoolState) -> None:
    least, most = pool.bounds.min, pool.bounds.max
    if least > most:
        raise RefusedError(f"{field}.bounds.max", f"{most} is below bounds.min: {least} or more is allowed")
    if not least <= pool.replicas <= most:
        raise RefusedError(f"{field}.replicas", f"{pool.replicas} is outside the pool's bounds: {least} to {most} are allowed")


def _protocol(field: str, name: str) -> str:
    """One that is known and not spoken is no mistake: it says what the engines are, and how requests go follows."""
    own = pd.canonical(name)
    if own not in pd.names():
        raise RefusedError(field, f"unknown P/D protocol {name!r}; known: {', '.join(pd.names())}")
    return own


def _strategy(field: str, name: str, known: Collection[str]) -> str:
    own = canonical(name)
    if own not in known:
        raise RefusedError(field, f"unknown strategy {name!r}; known: {', '.join(sorted(known))}")
    return own
