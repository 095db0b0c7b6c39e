"""Whether other routers send to the same engines, as prompts show that are unknown here and cached all the same."""

from __future__ import annotations

SEEN = 0.3  # a few prompts show that there are others
GONE = 0.01  # some two hundred that there are none any more: with new prompts only, there is nothing to be seen of them
ENOUGH = 0.1


class Others:
    """Told of prompts that went to their rendezvous home, where every router sends them."""

    def __init__(self) -> None:
        self._share = 0.0

    @property
    def seen(self) -> bool:
        """There are others."""
        return self._share >= ENOUGH

    def found(self, known: float, cached: float, tokens: int) -> None:
        """Of a prompt of `tokens` its engine had `cached`; `known` are those that it had been sent from here.

        Of one that is known by half, what is cached beyond that may be an answer of its own.
        """
        unknown = tokens - known
        if unknown < tokens / 2 or unknown <= 0:
            return
        share = min(max((cached - known) / unknown, 0.0), 1.0)
        self._share += (SEEN if share > self._share else GONE) * (share - self._share)
