"""Whether other routers send to the same engines: as is told, or as prompts show that are unknown here and cached all the same."""

from __future__ import annotations

SEEN = 0.3  # two prompts show that there are others, one is chance
GONE = 0.01  # some hundred that there are none any more: with new prompts only, there is nothing to be seen of them
ENOUGH = 0.4


class Others:
    """Told of prompts that went to their rendezvous home, where every router sends them. `told`: somebody knows of others."""

    def __init__(self) -> None:
        self.told = False
        self._belief = 0.0

    @property
    def seen(self) -> bool:
        """There are others."""
        return self.told or self._belief >= ENOUGH

    def found(self, known: float, cached: float, tokens: int) -> None:
        """Of a prompt of `tokens` its engine had `cached`; `known` are those that it had been sent from here.

        Where half of it is known, what is cached beyond that may be an answer that it goes on from; and where little is, it may
        be a beginning that is shorter than a piece.
        """
        unknown = tokens - known
        if unknown < tokens / 2 or unknown <= 0:
            return
        if cached - known >= unknown / 2:
            self._belief += SEEN * (1.0 - self._belief)
        else:
            self._belief -= GONE * self._belief
