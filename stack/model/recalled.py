"""What a router remembers of a prompt's beginning."""

from __future__ import annotations

import msgspec


class Recalled(msgspec.Struct, frozen=True, gc=False):
    """Which engines were sent the prompt's beginning before, and what of it other prompts share; counted in leading pieces.

    `runs` are depths with the engines that were sent so many pieces and no more: the deepest first, each engine once, those
    that were sent nothing left out. `shared` pieces were followed by many different things, `common` ones are carried by
    nearly every prompt of late. `others`: other routers send to the same engines, as prompts showed that were unknown here and
    cached all the same.
    """

    runs: tuple[tuple[int, frozenset[str]], ...] = ()
    shared: int = 0
    common: int = 0
    others: bool = False

    def depth(self, engine: str) -> int:
        """How many leading pieces `engine` was sent."""
        return next((depth for depth, engines in self.runs if engine in engines), 0)


NOTHING_RECALLED = Recalled()
