"""Whether each LMCache uses the L2 it was meant to use."""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from exporters.collector import Context, Point, Seen, collectors
from stack.adapters.exposition import ExpositionError, fetch_json
from stack.engines.lmcache_l2 import L2State, address, of_engine, of_server, state
from stack.metrics import catalog
from stack.metrics.family import Label


@collectors.register("l2_address")
class EffectiveL2:
    """Asks each LMCache which L2 it uses and compares it with --l2.expected-url; without one it asks nobody.

    Something between the two may replace the one that was configured, or leave it out, and nothing else would tell.
    """

    stage = 0

    def __init__(self, context: Context) -> None:
        self._http = context.http
        self._expected = None if context.expected_l2 is None else address(context.expected_l2)
        self._urls = {} if self._expected is None else context.endpoints.get("lmcache", {})

    def targets(self) -> Sequence[str]:
        return list(self._urls)

    async def read(self, target: str) -> Seen:
        url, expected = self._urls[target], self._expected
        if expected is None:
            return Seen()
        try:
            effective = of_server(await fetch_json(self._http, f"{url}/config"))
        except (httpx.HTTPStatusError, ExpositionError):  # no server, so an engine's own
            effective = of_engine(await fetch_json(self._http, f"{url}/conf"))
        return Seen([_point(target, state(effective, expected))])

    def unread(self, target: str) -> Sequence[Point]:
        return [_point(target, L2State.UNKNOWN)]

    def forget(self, target: str) -> None:
        """Nothing is remembered of a target."""

    async def close(self) -> None:
        """Nothing of its own is open."""


def _point(target: str, state: L2State) -> Point:
    return Point(catalog.CACHE_L2_ADDRESS_STATE, {Label.REPLICA: target, Label.STATE: state}, 1.0)
