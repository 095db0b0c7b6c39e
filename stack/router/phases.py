"""Where one request's time went: instants as they were seen, and the phases that add up to the whole."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stack.model.tier import Path


class Phase(StrEnum):
    """The parts of a request's time, in the order in which they happen.

    `router`: until the engine that answered was asked: parsing, deciding, attempts that failed, and the
    hand-over between the legs. `prefill_queue`, `prefill`: in the prefill engine; on the direct path
    `prefill` is the time to the first token after the queue. `kv_transfer`: only where the engine says
    how long it took; otherwise it lies in `decode_queue`, since a decode engine schedules a request when its
    KV has arrived. `first_step`: the decode engine's first token. `decode`: from the first token to the last byte.
    """

    ROUTER = "router"
    PREFILL_QUEUE = "prefill_queue"
    PREFILL = "prefill"
    KV_TRANSFER = "kv_transfer"
    DECODE_QUEUE = "decode_queue"
    FIRST_STEP = "first_step"
    DECODE = "decode"


class EngineTimes(msgspec.Struct, frozen=True, gc=False):
    """What an engine says about one request, in seconds; None where it does not say.

    `queue_seconds` lasts until the request is scheduled, which on a decode engine is after its KV has arrived, so it
    includes `transfer_seconds`; `first_token_seconds` counts from being scheduled.
    """

    queue_seconds: float | None = None
    first_token_seconds: float | None = None
    transfer_seconds: float | None = None


UNSAID = EngineTimes()


class Timeline(msgspec.Struct, gc=False):
    """Instants of one request on a monotonic clock, in seconds, set as they happen; None until then.

    `received` is the last byte in, `done` the last byte out, `first_token` the first byte of the answer's
    body as it leaves (streams only).
    """

    received: float
    prefill_sent: float | None = None
    prefill_answered: float | None = None
    decode_sent: float | None = None
    first_token: float | None = None
    done: float | None = None
    prefill: EngineTimes = UNSAID
    decode: EngineTimes = UNSAID

    def forget_prefill(self) -> None:
        """The prefill leg came to nothing: its time becomes the router's."""
        self.prefill_sent = self.prefill_answered = None
        self.prefill = UNSAID

    @property
    def path(self) -> Path:
        return Path.DIRECT if self.prefill_answered is None else Path.DPD

    @property
    def ttft(self) -> float | None:
        """Seconds from the last byte in to the first token out, None when nobody could see it."""
        return None if self.first_token is None else self.first_token - self.received

    @property
    def total(self) -> float | None:
        """Seconds from the last byte in to the last byte out."""
        return None if self.done is None else self.done - self.received


def phases(timeline: Timeline) -> dict[Phase, float]:
    """The phases of a finished request; they sum to `timeline.total`.

    What is not known is not invented: an unknown queue time stays in the next phase, and without any sign
    of the first token all of the engine's time is `decode`. Empty when the request was never finished or never sent.
    """
    if timeline.done is None or timeline.decode_sent is None:
        return {}
    if timeline.prefill_answered is None and timeline.first_token is None and timeline.decode is UNSAID:  # most whole answers
        return {Phase.ROUTER: timeline.decode_sent - timeline.received, Phase.DECODE: timeline.done - timeline.decode_sent}
    parts = {Phase.ROUTER: timeline.decode_sent - timeline.received}
    if timeline.prefill_sent is not None and timeline.prefill_answered is not None:
        leg = timeline.prefill_answered - timeline.prefill_sent
        parts[Phase.ROUTER] -= leg
        leg = _take(parts, Phase.PREFILL_QUEUE, timeline.prefill.queue_seconds, leg)
        parts[Phase.PREFILL] = leg
    parts.update(_answering(timeline, timeline.decode_sent, timeline.done))
    return parts


def _answering(timeline: Timeline, sent: float, done: float) -> dict[Phase, float]:
    parts: dict[Phase, float] = {}
    waited = _until_first_token(timeline, sent, done)
    if waited is None:
        left = _take(parts, Phase.DECODE_QUEUE, timeline.decode.queue_seconds, done - sent)
        return parts | {Phase.DECODE: left}
    said = timeline.decode
    left = _take(parts, Phase.KV_TRANSFER, said.transfer_seconds, waited)
    queue = None if said.queue_seconds is None else said.queue_seconds - parts.get(Phase.KV_TRANSFER, 0.0)
    left = _take(parts, Phase.DECODE_QUEUE, queue, left)
    step = Phase.PREFILL if timeline.path is Path.DIRECT else Phase.FIRST_STEP
    return parts | {step: left, Phase.DECODE: done - sent - waited}


def _until_first_token(timeline: Timeline, sent: float, done: float) -> float | None:
    """Seconds from asking the engine to its first token: as seen in the stream, else as the engine says."""
    if timeline.first_token is not None:
        return timeline.first_token - sent
    said = timeline.decode
    if said.queue_seconds is None or said.first_token_seconds is None:
        return None
    return min(max(said.queue_seconds + said.first_token_seconds, 0.0), done - sent)


def _take(parts: dict[Phase, float], phase: Phase, said: float | None, available: float) -> float:
    """Move what the engine said of `phase` out of `available`; two clocks may disagree, so never more than there is."""
    if said is None:
        return available
    parts[phase] = min(max(said, 0.0), available)
    return available - parts[phase]
