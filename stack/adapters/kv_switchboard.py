"""One bound socket that engines connect to, told apart by their topics: for vLLM's connect mode, which serves a single router."""

from __future__ import annotations

import asyncio
import logging

import zmq
import zmq.asyncio

log = logging.getLogger(__name__)

INSIDE = "inproc://kv-events"  # where followers hear what came in
_PASSED_AT_ONCE = 64


class Switchboard:
    """Hands on whatever arrives at `bind_at`, by its topic. Created with its socket inside bound: followers may connect at once."""

    def __init__(self, context: zmq.asyncio.Context, bind_at: str, queued_batches: int) -> None:
        self._context = context
        self._bind_at = bind_at
        self._queued = queued_batches
        self._inside = context.socket(zmq.PUB)
        self._inside.linger = 0
        self._inside.sndhwm = queued_batches
        self._inside.bind(INSIDE)

    async def run(self) -> None:
        """Hand on until cancelled. An address that cannot be had is logged; engines with addresses of their own are followed."""
        outside = self._context.socket(zmq.SUB)
        outside.linger = 0
        outside.rcvhwm = self._queued
        outside.subscribe(b"")
        arrived: zmq.Socket[bytes] = zmq.Socket.shadow(outside)
        inside: zmq.Socket[bytes] = zmq.Socket.shadow(self._inside)
        try:
            outside.bind(self._bind_at)
            while True:
                await outside.poll()
                _pass_on(arrived, inside)
                await asyncio.sleep(0)
        except zmq.ZMQError as error:
            log.error("KV events cannot be listened for", extra={"endpoint": self._bind_at, "error": str(error)})
        finally:
            outside.close()
            self._inside.close()


def _pass_on(arrived: zmq.Socket[bytes], inside: zmq.Socket[bytes]) -> None:
    for _ in range(_PASSED_AT_ONCE):
        try:
            inside.send_multipart(arrived.recv_multipart(zmq.NOBLOCK), zmq.NOBLOCK)
        except zmq.Again:
            return
