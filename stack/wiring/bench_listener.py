"""The process that listens to many streams: `python -m stack.wiring.bench_listener URL STREAMS TOKENS LIMIT_S`, result as JSON."""

from __future__ import annotations

import sys
import time

import msgspec
import uvloop

from stack.bench.router.chats import chats
from stack.bench.router.listener import listen

_RAMP_SECONDS = 1.0


def main(url: str, streams: int, tokens: int, limit_seconds: float) -> None:
    """Print the gaps between the tokens of `streams` answers."""
    asked = chats(stream_tokens=tokens)
    bodies = [asked[number % len(asked)].body(number).encode() for number in range(streams)]
    gaps = uvloop.run(listen(url, bodies, tokens, _RAMP_SECONDS, limit_seconds, time.monotonic))
    sys.stdout.write(msgspec.json.encode(gaps).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
