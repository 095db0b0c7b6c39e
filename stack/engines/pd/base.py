"""The contract of a prefill/decode protocol, and the registry every protocol's file registers in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import msgspec

from stack.engines.answer_facts import AnswerFacts
from stack.registry import Registry

Fields = Mapping[str, Any]

DEFAULT = "nixl"
DIFFERENT_PROTOCOLS = "different_protocols"


class HandoverError(ValueError):
    """The prefill engine's answer leads to no decode leg; `reason` is one of a few words, fit for a label."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Handover(msgspec.Struct, frozen=True):
    """What the prefill leg leaves for the decode leg. `params` are for one use.

    `tokens` is how many the prefill engine keeps KV of. `remote_cached_tokens` is what it found in its caches. That was
    taken out of `params`: with it in there, the decode engine reports it as its own, and a transfer that failed looks
    like one that worked.
    """

    params: dict[str, Any]
    remote_cached_tokens: int | None
    facts: AnswerFacts
    tokens: int | None = None


class Speaker(Protocol):
    """The bodies of both legs, and what passes between them."""

    def prefill_body(self, fields: Fields) -> dict[str, Any]:
        """The body of the prefill leg: the same prompt, one token, and the KV kept for a peer."""
        ...

    def handover(self, answer: bytes) -> Handover:
        """What a prefill answer (status 200) hands over. Raises HandoverError."""
        ...

    def decode_body(self, fields: Fields, handover: Handover) -> dict[str, Any]:
        """The body of the decode leg, to be sent once and in time."""
        ...

    def collect_body(self, fields: Fields, handover: Handover) -> dict[str, Any]:
        """The body that makes a decode engine fetch the KV, and so free it, though it refuses the client's own request."""
        ...

    def transfer_lost(self, handed: Handover, facts: AnswerFacts) -> bool | None:
        """Whether the decode engine had to compute what was handed over; None where its answer does not tell."""
        ...


@dataclass(frozen=True, slots=True)
class PdProtocol:
    """One protocol by name. `speaker` is None for one that is known and not spoken: nothing is routed by it.

    `connectors` are the engine's own names for it. Protocols of one `wire` understand each other. `marks` tells the
    `kv_transfer_params` of an engine that speaks it from all others'.
    """

    name: str
    connectors: tuple[str, ...]
    wire: str
    speaker: Speaker | None = None
    marks: Callable[[Fields], bool] = lambda params: False

    @property
    def refusal(self) -> str | None:
        """Why no request is disaggregated by it, as a label; None when one may be."""
        return f"{self.name}_unsupported" if self.speaker is None else None


REGISTRY: Registry[PdProtocol] = Registry("P/D protocol")
register = REGISTRY.register
create = REGISTRY.create
names = REGISTRY.names


@dataclass(frozen=True, slots=True)
class Link:
    """How KV gets from a prefill pool to a decode pool. Where it does not, `refusal` says why, and is a label."""

    speaker: Speaker
    refusal: str | None = None


def link(prefill: str | None, decode: str | None) -> Link:
    """The link between pools that speak these protocols, by any of their names; None is the default.

    Raises UnknownNameError.
    """
    ends = [create(canonical(name or DEFAULT)) for name in (prefill, decode)]
    spoken = create(DEFAULT) if ends[0].speaker is None else ends[0]
    assert spoken.speaker is not None
    foreign = next((end.refusal for end in ends if end.refusal is not None), None)
    if foreign is None and ends[0].wire != ends[1].wire:
        foreign = DIFFERENT_PROTOCOLS
    return Link(spoken.speaker, foreign)


def canonical(name: str) -> str:
    """The protocol's own name, also for an engine's name of its connector; an unknown name comes back unchanged."""
    return _by_connector().get(name, name)


def given_away(params: Fields) -> str | None:
    """The refusal of the foreign protocol whose marks `params` bear; None when they bear none."""
    return next((each.refusal for each in _foreign() if each.marks(params)), None)


@cache
def _foreign() -> tuple[PdProtocol, ...]:
    return tuple(each for each in map(create, names()) if each.speaker is None)


@cache
def _by_connector() -> dict[str, str]:
    return {connector: each.name for each in map(create, names()) for connector in each.connectors}
