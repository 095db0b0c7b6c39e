"""What is seen of a model's fields: engines that are ready, and how its latest requests went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stack.control.members import Member
from stack.control.state import ModelState
from stack.engines.pd.base import DEFAULT, link
from stack.fleet.engine import State
from stack.model.placement import UnknownReason
from stack.model.tier import Path, Pool

_UNPLACED = frozenset(UnknownReason)


class Request(Protocol):
    """A request that was carried out, as far as is looked at here."""

    @property
    def path(self) -> str: ...

    @property
    def fallbacks(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Traffic:
    """A model's latest requests: how many are looked at, how many were disaggregated, and how many met each fallback."""

    requests: int = 0
    disaggregated: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, requests: Iterable[Request]) -> Traffic:
        """Those of `requests`."""
        every = tuple(requests)
        disaggregated = sum(one.path == Path.DPD for one in every)
        return cls(len(every), disaggregated, Counter(reason for one in every for reason in {*one.fallbacks}))


def observed(model: str, state: ModelState, members: Sequence[Member], traffic: Traffic | None) -> dict[str, str]:
    """What is seen, in words, by the field's path in the model. Of requests nothing is where there were none."""
    return dict(_pools(model, members)) | (dict(_requests(state, traffic)) if traffic is not None and traffic.requests else {})


def _pools(model: str, members: Sequence[Member]) -> Iterator[tuple[str, str]]:
    for pool in Pool:
        states = Counter(member.state for member in members if (member.model, member.pool) == (model, pool))
        others = [f"{states[one]} {one}" for one in State if states[one] and one is not State.READY]
        yield f"pools.{pool}.replicas", ", ".join([f"{states[State.READY]} ready", *others])


def _requests(state: ModelState, traffic: Traffic) -> Iterator[tuple[str, str]]:
    of = f"of the last {traffic.requests} requests"
    yield "dpd.enabled", f"{traffic.disaggregated} {of} were disaggregated"
    unplaced = sum(number for reason, number in traffic.fallbacks.items() if reason in _UNPLACED)
    yield "fallback_strategy", f"decided {unplaced} {of}"
    refusal = link(state.pools.prefill.protocol, state.pools.decode.protocol).refusal
    for pool in Pool:
        name = state.pools.of(pool).protocol or DEFAULT
        said = "spoken" if refusal is None else f"{refusal}: {traffic.fallbacks[refusal]} {of} went direct for it"
        yield f"pools.{pool}.protocol", f"{name}, {said}"
