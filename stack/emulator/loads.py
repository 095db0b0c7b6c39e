"""KV on its way into an engine: from the tiers or from a peer. Requests wait for it; the engine does not."""

from __future__ import annotations

from collections.abc import Sequence as Values
from dataclasses import dataclass

from stack.emulator.memory import Found, Memory
from stack.emulator.profiles import Profile
from stack.emulator.sequence import Sequence
from stack.emulator.telemetry import Telemetry
from stack.emulator.tiers import CacheTier
from stack.emulator.transfer import Fabric, Pull, Stuck

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Load:
    """One sequence's load. It lands at `ready`, `seconds` after it began."""

    sequence: Sequence
    ready: float
    seconds: float
    pull: Pull | None = None
    failed: bool = False
    tiers: Values[CacheTier] = ()


class Loads:
    """Begins loads and, when their time has come, puts what they brought into the sequences."""

    def __init__(self, profile: Profile, memory: Memory, fabric: Fabric, telemetry: Telemetry) -> None:
        self._profile = profile
        self._memory = memory
        self._fabric = fabric
        self._telemetry = telemetry
        self.pending: list[Load] = []

    def begin(self, sequence: Sequence, found: Found, now: float) -> bool:
        """True when `sequence`, which has its blocks, first waits for a load."""
        load = self._load(sequence, found, now)
        if load is None:
            return False
        self.pending.append(load)
        return True

    def land(self, now: float) -> list[Sequence]:
        """Sequences whose loads are done by `now`."""
        done = [load for load in self.pending if load.ready <= now]
        self.pending = [load for load in self.pending if load.ready > now]
        for load in done:
            self._finish(load)
        return [load.sequence for load in done]

    def drop(self, sequence: Sequence) -> bool:
        """Forget an aborted sequence. True when it was waiting for a load."""
        kept = [load for load in self.pending if load.sequence is not sequence]
        known = len(kept) < len(self.pending)
        self.pending = kept
        return known

    def give_up(self, sequence: Sequence) -> None:
        """An aborted sequence will not read its KV: the holder may reuse the blocks."""
        if isinstance(sequence.intent, Pull):
            self._fabric.give_up(sequence.intent)

    def next_landing(self) -> float | None:
        """When the next load is done; None when none will be."""
        return min((load.ready for load in self.pending if load.ready < NEVER), default=None)

    def _load(self, sequence: Sequence, found: Found, now: float) -> Load | None:
        match sequence.intent:
            case Stuck():
                return Load(sequence, NEVER, NEVER)
            case Pull() as pull if not self._fabric.reachable(pull):
                seconds = self._profile.unreachable_seconds
                return Load(sequence, now + seconds, seconds, pull, failed=True)
            case Pull() as pull:
                seconds = self._profile.transfer_duration(len(sequence.prompt) - sequence.computed)
                return Load(sequence, now + seconds, seconds, pull)
        return self._from_tiers(sequence, found, now)

    def _from_tiers(self, sequence: Sequence, found: Found, now: float) -> Load | None:
        counts = self._memory.split(found.loads)
        asked = (len(sequence.tokens) - 1) // self._profile.block_size - len(found.device)
        self._telemetry.looked_up(asked, *counts)
        if not found.loads:
            return None
        l1_tokens, l2_tokens = (count * self._profile.block_size for count in counts)
        seconds = self._profile.load_duration(l1_tokens, l2_tokens)
        return Load(sequence, now + seconds, seconds, tiers=found.loads)

    def _finish(self, load: Load) -> None:
        if load.pull is None:
            self._take_from_tiers(load)
        elif load.failed:
            load.sequence.intent = None  # recomputed here, as kv_load_failure_policy=recompute has it
            self._telemetry.transfer_failed()
        else:
            self._take_from_peer(load, load.pull)

    def _take_from_peer(self, load: Load, pull: Pull) -> None:
        sequence = load.sequence
        tokens = len(sequence.prompt) - sequence.computed
        sequence.intent = None
        self._fabric.give_up(pull)
        self._telemetry.transferred(tokens, load.seconds)
        sequence.origin.peer = tokens
        sequence.computed = len(sequence.prompt)
        self._memory.publish(sequence)  # and no offload: a decode engine stores only what it computed
        sequence.computed -= 1  # the last token is run again for its logits

    def _take_from_tiers(self, load: Load) -> None:
        sequence, size = load.sequence, self._profile.block_size
        first = sequence.computed // size
        hashes = sequence.hashes[first : first + len(load.tiers)]
        l1_blocks, l2_blocks = self._memory.read(hashes, load.tiers)
        if sequence.times.scheduled is None:  # a preempted request's second load is no prompt token's origin
            sequence.origin.host, sequence.origin.disk = l1_blocks * size, l2_blocks * size
        sequence.computed += len(hashes) * size
        self._memory.publish(sequence)
