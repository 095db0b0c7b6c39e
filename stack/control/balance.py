"""Whether the pools and the threshold fit the load: what to do about it, with the numbers that say so, or why nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stack.control.break_even import BAND_LEAST, Band
from stack.control.state import ModelState
from stack.model.tier import Pool

# Of an engine. One request waiting for each engine all the time: the pool lacks one. A tenth: nobody waits to speak of.
PRESSED_WAITING, IDLE_WAITING = 1.0, 0.1
PRESSED_USED, IDLE_USED = 0.9, 0.5  # of the fullest engine's KV: beyond, vLLM begins to preempt
PRESSED_BUSY, IDLE_BUSY = 0.9, 0.3  # of the time: beyond, a queue grows with every burst


class Move(StrEnum):
    """What an operator could do."""

    MORE_PREFILL = "more_prefill"
    MORE_DECODE = "more_decode"
    RAISE = "raise_threshold"
    LOWER = "lower_threshold"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Load:
    """One pool, over some minutes; None is not known. Requests are of the pool, `used` is of the fullest engine, 0 to 1.

    `queue` and `prefill` are mean seconds of a request, `busy` the share of the time in which an engine runs anything.
    """

    engines: float | None = None
    waiting: float | None = None
    busy: float | None = None
    used: float | None = None
    queue: float | None = None
    prefill: float | None = None
    computed: float | None = None
    preemptions: float | None = None

    @property
    def waiting_each(self) -> float | None:
        """Requests that wait for each engine."""
        return None if self.waiting is None or not self.engines else self.waiting / self.engines


@dataclass(frozen=True, slots=True)
class Advice:
    """`evidence` are the numbers it rests on, in words. `value` is what to set: a pool's engines, or a threshold in tokens."""

    move: Move
    sentence: str
    evidence: tuple[str, ...] = ()
    value: int | None = None


def advise(prefill: Load, decode: Load, wanted: ModelState, bands: Sequence[Band]) -> tuple[Advice, ...]:
    """What to do, the most likely to help first; never empty."""
    if not wanted.dpd.enabled:
        return (_unknown("Disaggregation is off: there is no balance between the pools. See what a threshold would do."),)
    if missing := tuple(_missing(prefill, decode)):
        return (Advice(Move.UNKNOWN, "Whether the pools fit the load cannot be told: what it takes is not known.", missing),)
    late, full = tuple(_pressed_prefill(prefill)), tuple(_pressed_decode(decode))
    found = (*_for_prefill(late, prefill, decode, wanted, bands), *_for_decode(full, prefill, decode, wanted))
    if not found and (by_length := _by_length(wanted, bands)) is not None:
        found = (by_length,)
    return found or (
        Advice(Move.NOTHING, "Neither pool is pressed: nothing to do.", (_calm("prefill", prefill), _calm("decode", decode))),
    )


def _unknown(sentence: str) -> Advice:
    return Advice(Move.UNKNOWN, sentence)


def _missing(prefill: Load, decode: Load) -> Iterator[str]:
    for pool, load in ((Pool.PREFILL, prefill), (Pool.DECODE, decode)):
        if not load.engines:
            yield f"{pool}: no engine is listed by the exporter"
        elif load.waiting is None:
            yield f"{pool}: engines do not tell how many requests wait"
    if prefill.busy is None and (prefill.queue is None or prefill.prefill is None):
        yield "prefill: neither how busy engines are nor how long prompts wait is told"
    if decode.used is None:
        yield "decode: engines do not tell how full their KV cache is"


def _pressed_prefill(load: Load) -> Iterator[str]:
    if load.waiting_each is not None and load.waiting_each >= PRESSED_WAITING:
        yield f"{load.waiting_each:.1f} requests wait for each prefill engine"
    if load.queue is not None and load.prefill is not None and load.queue > load.prefill:
        yield f"a prompt waits {_ms(load.queue)} and is computed in {_ms(load.prefill)}: longer in the queue than in work"
    if load.busy is not None and load.busy >= PRESSED_BUSY:
        yield f"prefill engines are busy {load.busy:.0%} of the time"


def _pressed_decode(load: Load) -> Iterator[str]:
    if load.waiting_each is not None and load.waiting_each >= PRESSED_WAITING:
        yield f"{load.waiting_each:.1f} requests wait for each decode engine"
    if load.used is not None and load.used >= PRESSED_USED:
        yield f"the fullest decode engine's KV cache is {load.used:.0%} full"
    if load.preemptions:
        yield f"decode engines preempt {load.preemptions:.2g} requests a second: KV is taken away and computed again"


def _for_prefill(late: tuple[str, ...], prefill: Load, decode: Load, wanted: ModelState, bands: Sequence[Band]) -> Iterator[Advice]:
    if not late:
        return
    by_length = _by_length(wanted, bands)
    spare = _idle_decode(decode)
    if by_length is not None and by_length.move is Move.RAISE:
        yield Advice(Move.RAISE, by_length.sentence, (*late, *by_length.evidence), by_length.value)
    yield _more(Pool.PREFILL, "The prefill pool is the bottleneck: give it an engine.", late, wanted)
    if by_length is None and spare:
        value = max(wanted.dpd.routing_threshold * 2, BAND_LEAST)
        sentence = "Or raise the threshold: decode engines have room to compute more prompts themselves."
        yield Advice(Move.RAISE, sentence, (*late, spare), value)


def _for_decode(full: tuple[str, ...], prefill: Load, decode: Load, wanted: ModelState) -> Iterator[Advice]:
    if not full:
        return
    threshold = wanted.dpd.routing_threshold
    spare = prefill.busy is not None and prefill.busy < IDLE_BUSY and (prefill.waiting_each or 0.0) < IDLE_WAITING
    if spare and threshold > 0 and decode.computed:
        said = f"decode engines compute {decode.computed:,.0f} prompt tokens a second themselves"
        idle = f"prefill engines are busy {prefill.busy:.0%} of the time, and nobody waits for them"
        sentence = "Lower the threshold: prefill engines have room for prompts that decode engines compute now."
        yield Advice(Move.LOWER, sentence, (*full, said, idle), threshold // 2)
    yield _more(Pool.DECODE, "The decode pool is the bottleneck: give it an engine.", full, wanted)


def _more(pool: Pool, sentence: str, evidence: tuple[str, ...], wanted: ModelState) -> Advice:
    now = wanted.pools.of(pool)
    move = Move.MORE_PREFILL if pool is Pool.PREFILL else Move.MORE_DECODE
    if now.replicas >= now.bounds.max:
        evidence = (*evidence, f"the pool has {now.replicas} engines, which is all that its bounds allow")
        return Advice(move, f"{sentence} Its bounds have to be raised first.", evidence)
    return Advice(move, sentence, evidence, now.replicas + 1)


def _by_length(wanted: ModelState, bands: Sequence[Band]) -> Advice | None:
    """By which path was quicker for prompts of like length, where the interval leaves no doubt."""
    threshold = wanted.dpd.routing_threshold
    slower = [band for band in bands if band.difference.low is not None and band.difference.low > 0 and band.least * 2 > threshold]
    if slower:
        said = tuple(f"from {band.least:,} tokens disaggregation takes {_ms(band.difference.value)} longer" for band in slower)
        sentence = "Raise the threshold: prompts of these lengths get their first token sooner without disaggregation."
        return Advice(Move.RAISE, sentence, said, max(slower[-1].least, BAND_LEAST // 2) * 2)
    quicker = [band for band in bands if band.difference.high is not None and band.difference.high < 0 and band.least < threshold]
    if quicker:
        said = tuple(
            f"from {band.least:,} tokens disaggregation is {_ms(-(band.difference.value or 0.0))} quicker" for band in quicker
        )
        sentence = "Lower the threshold: prompts of these lengths get their first token sooner with disaggregation."
        return Advice(Move.LOWER, sentence, said, quicker[0].least)
    return None


def _idle_decode(load: Load) -> str:
    idle = (load.waiting_each or 0.0) < IDLE_WAITING and load.used is not None and load.used < IDLE_USED and not load.preemptions
    return f"nobody waits for decode engines, and the fullest one's KV cache is {load.used:.0%} full" if idle else ""


def _calm(pool: str, load: Load) -> str:
    said = [f"{load.waiting_each or 0.0:.2f} requests wait for each engine"]
    if load.busy is not None:
        said.append(f"engines are busy {load.busy:.0%} of the time")
    if load.used is not None:
        said.append(f"the fullest one's KV cache is {load.used:.0%} full")
    return f"{pool}: {', '.join(said)}"


def _ms(seconds: float | None) -> str:
    return "an unknown time" if seconds is None else f"{seconds * 1e3:,.0f} ms"
