"""Many streams at once, directly and through our router, one after the other in each round."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import msgspec

from stack.bench.router.figures import Streams, middle
from stack.bench.router.listener import Gaps
from stack.bench.router.process import Pinned, output_of
from stack.bench.router.stand import PATH

RATE = 50.0  # tokens a second of each stream: a fast reader's pace, and what a busy engine gives
_OVERTIME_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class StreamStand:
    """Listens from `cores` to `streams` streams of `seconds` each."""

    cores: tuple[int, ...]
    streams: int
    seconds: float

    def measure(self, direct: str, routed: str, router: Pinned, rounds: int) -> Streams:
        """Medians over rounds of the gaps at both URLs, and the router's share of a core meanwhile. Raises ProcessError."""
        straight: list[Gaps] = []
        through: list[Gaps] = []
        shares: list[float] = []
        for _ in range(rounds):
            straight.append(self._listen(direct))
            began, before = time.monotonic(), router.cpu_seconds()
            through.append(self._listen(routed))
            shares.append((router.cpu_seconds() - before) / (time.monotonic() - began))
        return Streams(
            streams=self.streams,
            tokens_per_second_each=RATE,
            direct_itl_p50_ms=middle(gaps.p50_ms for gaps in straight),
            direct_itl_p99_ms=middle(gaps.p99_ms for gaps in straight),
            router_itl_p50_ms=middle(gaps.p50_ms for gaps in through),
            router_itl_p99_ms=middle(gaps.p99_ms for gaps in through),
            router_cpu_share=middle(shares),
            errors=sum(gaps.broken for gaps in (*straight, *through)),
        )

    def _listen(self, url: str) -> Gaps:
        arguments = (url + PATH, str(self.streams), str(round(RATE * self.seconds)), str(self.seconds + _OVERTIME_SECONDS))
        argv = (sys.executable, "-m", "stack.wiring.bench_listener", *arguments)
        said = output_of("the streams' listener", argv, self.cores, {}, self.seconds + 2 * _OVERTIME_SECONDS)
        return msgspec.json.decode(said, type=Gaps)
