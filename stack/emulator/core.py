"""Everything of an emulated engine but its time and its face: memory, scheduler, leases, and the requests that come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Values
from dataclasses import dataclass

from stack.emulator.answer import Limits, compose
from stack.emulator.events import Journal
from stack.emulator.hashing import Lora
from stack.emulator.leases import Leases
from stack.emulator.loads import Loads
from stack.emulator.memory import Memory
from stack.emulator.pool import BlockPool
from stack.emulator.profiles import Profile
from stack.emulator.scheduler import Scheduler
from stack.emulator.sequence import Sequence, Times
from stack.emulator.telemetry import Telemetry
from stack.emulator.tiers import Tiers
from stack.emulator.tokens import Tokenizer
from stack.emulator.transfer import Claim, Fabric, Pull, read


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, ready for the engine."""

    request_id: str
    prompt: tuple[int, ...]
    limits: Limits
    transfer: Mapping[str, object] | None = None
    salt: str | None = None
    adapter: Lora | None = None


class Core:
    """One engine's parts, put together. Pure: whoever drives it brings the time.

    `changed` is called when blocks were given back from outside a step: the scheduler may have something to do.
    """

    def __init__(
        self,
        model: str,
        profile: Profile,
        tiers: Tiers,
        fabric: Fabric,
        tokenizer: Tokenizer,
        journal: Journal,
        changed: Callable[[], None],
    ) -> None:
        self.telemetry = Telemetry(model, profile)
        self.memory = Memory(BlockPool(profile.engine_blocks), tiers, journal, self.telemetry, profile.block_size)
        self.leases = Leases(profile.lease_seconds, self._give_back, self.telemetry)
        self.loads = Loads(profile, self.memory, fabric, self.telemetry)
        self.scheduler = Scheduler(profile, self.memory, self.loads, self.leases, self.telemetry)
        self.tokenizer = tokenizer
        self._fabric = fabric
        self._changed = changed

    def admit(self, ask: Ask, now: float) -> Sequence:
        """Queue a request that arrives at `now`. Raises EngineKilledError where its parameters would kill a real engine."""
        intent = read(ask.transfer)
        garbled = isinstance(intent, Pull) and self._fabric.claim(intent) is Claim.GONE
        answer = compose(ask.prompt, ask.limits, self.tokenizer, garbled=garbled)
        sequence = Sequence(ask.request_id, ask.prompt, answer, intent, Times(now), ask.salt, ask.limits.max_tokens, ask.adapter)
        self.scheduler.add(sequence)
        return sequence

    def _give_back(self, blocks: Values[int]) -> None:
        self.memory.pool.release(blocks)
        self._changed()
