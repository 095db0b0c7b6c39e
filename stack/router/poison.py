"""Bodies that take engines down with them: after two, the body is refused for a while, so that it does not take the rest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from xxhash import xxh3_128_intdigest

from stack.router.openai import ParsedBody, encode

DEATHS_TO_REFUSE = 2  # one engine dies of many things; the same body in two of them is no accident any more
REFUSED_S = 600.0
BODIES_KEPT = 10_000


@dataclass(slots=True)
class _Suspect:
    """`at` is the last death, in seconds of the clock."""

    at: float
    engines: set[str] = field(default_factory=set)


class Poison:
    """Bodies by the engines that died while they waited for a first byte of its answer.

    Requests that merely stood beside a poisonous one are suspects as well; the first whole or begun answer clears a body.
    Only an engine's death counts: a connection that was refused never carried the body, a timeout or a 5xx killed nobody.
    """

    def __init__(self, clock: Callable[[], float], kept: int = BODIES_KEPT) -> None:
        """`clock` tells seconds; of more than `kept` bodies those whose engines died longest ago are forgotten."""
        self._clock = clock
        self._kept = kept
        self._suspects: OrderedDict[int, _Suspect] = OrderedDict()

    def refused_for(self, body: ParsedBody) -> float | None:
        """Seconds for which `body` goes to no engine; None when it may. Costs nothing while no engine dies."""
        if not self._suspects:
            return None
        self._expire()
        suspect = self._suspects.get(_key(body)) if self._suspects else None
        if suspect is None or len(suspect.engines) < DEATHS_TO_REFUSE:
            return None
        return suspect.at + REFUSED_S - self._clock()

    def died(self, body: ParsedBody, engine: str) -> None:
        """`engine` broke off while it had `body` and had answered nothing."""
        key = _key(body)
        suspect = self._suspects.setdefault(key, _Suspect(0.0))
        suspect.engines.add(engine)
        suspect.at = self._clock()
        self._suspects.move_to_end(key)
        while len(self._suspects) > self._kept:
            self._suspects.popitem(last=False)

    def answered(self, body: ParsedBody) -> None:
        """An engine answered `body` and lives: it was a bystander."""
        if self._suspects:
            self._suspects.pop(_key(body), None)

    def _expire(self) -> None:
        while self._suspects:
            key, oldest = next(iter(self._suspects.items()))
            if self._clock() - oldest.at < REFUSED_S:
                return
            del self._suspects[key]


def _key(body: ParsedBody) -> int:
    """Of the body as engines get it. 128 bits: a client must not be able to have another's request refused."""
    return xxh3_128_intdigest(body.path.encode() + b"\0" + encode(body.fields))
