"""The process of an engine that does nothing but publish KV events: `python -m stack.wiring.bench_engine ENDPOINT STEPS`."""

from __future__ import annotations

import sys

import zmq

from stack.bench.index.churn import Churn


def _publish(endpoint: str, churn: Churn) -> None:
    """Everything at once to the first who subscribes; stays until it is ended, so that nothing is lost on the way."""
    payloads = list(churn.payloads(seed=0))
    context = zmq.Context()
    socket = context.socket(zmq.XPUB)
    socket.sndhwm = 0
    socket.bind(endpoint)
    socket.recv()  # somebody subscribed
    for sequence, payload in enumerate(payloads):
        socket.send_multipart([b"", sequence.to_bytes(8, "big"), payload])
    sys.stdin.read()


if __name__ == "__main__":
    _publish(sys.argv[1], Churn(int(sys.argv[2])))
