"""Continuous batching as vLLM does it: running requests first, chunked prefill, preemption when blocks run out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from stack.emulator.leases import Leases
from stack.emulator.loads import Loads
from stack.emulator.memory import Memory
from stack.emulator.profiles import Profile
from stack.emulator.sequence import Sequence
from stack.emulator.telemetry import Telemetry
from stack.emulator.transfer import Produce


@dataclass(frozen=True, slots=True)
class Step:
    """Tokens to compute for each sequence, and the seconds that takes."""

    work: tuple[tuple[Sequence, int], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Emission:
    """One token's text. `reason` is set with the last one; `kept` are the blocks a decode engine may now pull."""

    sequence: Sequence
    text: str
    reason: str | None = None
    kept: tuple[int, ...] = ()


class Scheduler:
    """Pure: the caller brings the time (seconds, monotonic) and lets a step's seconds pass between plan and complete."""

    def __init__(self, profile: Profile, memory: Memory, loads: Loads, leases: Leases, telemetry: Telemetry) -> None:
        self._profile = profile
        self._memory = memory
        self._loads = loads
        self._leases = leases
        self._telemetry = telemetry
        self.waiting: deque[Sequence] = deque()
        self.landed: deque[Sequence] = deque()
        self.running: list[Sequence] = []

    def add(self, sequence: Sequence) -> None:
        self.waiting.append(sequence)

    def abort(self, sequence: Sequence) -> None:
        """The client went away. Harmless when the sequence already ended."""
        for queue in (self.waiting, self.landed, self.running):
            if sequence in queue:
                queue.remove(sequence)
                break
        else:
            if not self._loads.drop(sequence):
                return
        sequence.gone = True
        self._loads.give_up(sequence)
        self._memory.release(sequence)
        self._telemetry.finished(sequence, "abort")

    def plan(self, now: float) -> Step | None:
        """The next step's work; None while there is nothing to compute."""
        self._leases.expire(now)
        self.landed.extend(self._loads.land(now))
        work: list[tuple[Sequence, int]] = []
        budget = self._continue_running(work, self._profile.max_num_batched_tokens)
        budget = self._admit_landed(work, budget, now)
        self._admit_waiting(work, budget, now)
        if not work:
            return None
        decoding = sum(sequence.decoding for sequence, _ in work)
        tokens = sum(tokens for _, tokens in work)
        return Step(tuple(work), self._profile.step_duration(tokens - decoding, decoding))

    def complete(self, step: Step, now: float) -> list[Emission]:
        """The step is over: its tokens are computed, and some sequences have one more to say."""
        self._telemetry.stepped(sum(tokens for _, tokens in step.work))
        emissions: list[Emission] = []
        for sequence, tokens in step.work:
            if sequence.gone:
                continue
            sequence.computed += tokens
            self._memory.offload(self._memory.publish(sequence))
            if sequence.outstanding == 0:
                emissions.append(self._emit(sequence, now))
        return emissions

    def next_event(self) -> float | None:
        """When `plan` may have something to do without a new request; None when only a request can bring it."""
        times = [time for time in (self._loads.next_landing(), self._leases.next_expiry()) if time is not None]
        return min(times, default=None)

    def _continue_running(self, work: list[tuple[Sequence, int]], budget: int) -> int:
        for sequence in list(self.running):
            tokens = min(sequence.outstanding, budget)
            if sequence not in self.running or tokens == 0:
                continue
            if self._make_room(sequence, sequence.computed + tokens):
                work.append((sequence, tokens))
                budget -= tokens
        return budget

    def _make_room(self, sequence: Sequence, tokens: int) -> bool:
        """Room for `tokens` tokens, at the cost of the youngest running requests, `sequence` itself the last."""
        while not self._memory.grow(sequence, tokens):
            victim = self.running.pop()
            self._memory.release(victim)
            victim.preemptions += 1
            self._telemetry.preempted()
            self.waiting.appendleft(victim)
            if victim is sequence:
                return False
        return True

    def _admit_landed(self, work: list[tuple[Sequence, int]], budget: int, now: float) -> int:
        while self.landed and budget and len(self.running) < self._profile.max_num_seqs:
            budget -= self._run(self.landed.popleft(), work, budget, now)
        return budget

    def _admit_waiting(self, work: list[tuple[Sequence, int]], budget: int, now: float) -> None:
        while self.waiting and budget and len(self.running) < self._profile.max_num_seqs:
            sequence = self.waiting[0]
            found = self._memory.find(sequence)
            if not self._memory.start(sequence, found.device):
                return  # first come, first served: nobody overtakes
            self.waiting.popleft()
            if sequence.times.scheduled is None:
                sequence.origin.device = sequence.computed
            if not self._loads.begin(sequence, found, now):
                budget -= self._run(sequence, work, budget, now)

    def _run(self, sequence: Sequence, work: list[tuple[Sequence, int]], budget: int, now: float) -> int:
        if sequence.times.scheduled is None:
            sequence.times.scheduled = now
            origin = sequence.origin
            origin.computed = len(sequence.prompt) - origin.device - origin.external
            self._telemetry.admitted(sequence)
        tokens = min(sequence.outstanding, budget)
        self.running.append(sequence)
        work.append((sequence, tokens))
        return tokens

    def _emit(self, sequence: Sequence, now: float) -> Emission:
        self._telemetry.token(sequence, now)
        text = sequence.advance()
        if sequence.times.first_token is None:
            sequence.times.first_token = now
        sequence.times.last_token = now
        if not sequence.finished:
            return Emission(sequence, text)
        return Emission(sequence, text, sequence.answer.reason, self._end(sequence, now))

    def _end(self, sequence: Sequence, now: float) -> tuple[int, ...]:
        self.running.remove(sequence)
        sequence.gone = True
        self._telemetry.finished(sequence, sequence.answer.reason)
        if not isinstance(sequence.intent, Produce):
            self._memory.release(sequence)
            return ()
        kept, sequence.blocks = sequence.blocks, []
        self._leases.grant(sequence.request_id, kept, now)
        return tuple(kept)
