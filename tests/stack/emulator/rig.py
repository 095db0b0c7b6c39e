"""Engines without ports and without waiting: the test's clock jumps to the end of each step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stack.emulator.answer import Limits, compose
from stack.emulator.events import BlockRemoved, BlockStored, Journal, Medium
from stack.emulator.leases import Leases
from stack.emulator.loads import Loads
from stack.emulator.memory import Memory
from stack.emulator.pool import BlockPool
from stack.emulator.profiles import PROFILES, Profile
from stack.emulator.scheduler import Emission, Scheduler
from stack.emulator.sequence import Sequence, Times
from stack.emulator.telemetry import Telemetry
from stack.emulator.tiers import CacheTier, Tiers
from stack.emulator.tokens import ByteTokenizer
from stack.emulator.transfer import Claim, Fabric, Intent, Pull

# Round numbers: a step takes 1 s, a computed token 10 ms, a token from L1 1 ms, from L2 2 ms, from a peer 0.1 ms.
PROFILE = replace(
    PROFILES["laptop-smollm2"],
    engine_blocks=17,
    l1_blocks=20,
    l2_blocks=60,
    max_num_seqs=4,
    max_num_batched_tokens=512,
    kv_bytes_per_token=1000,
    prefill_tokens_per_second=100,
    step_seconds=1.0,
    decode_seconds_per_sequence=0.5,
    l1_tokens_per_second=1000,
    l2_tokens_per_second=500,
    transfer_bytes_per_second=1e7,
    transfer_setup_seconds=0.0,
)


def tiers(profile: Profile = PROFILE) -> Tiers:
    """A node of its own and a store of its own."""
    return Tiers(CacheTier(Medium.CPU, profile.l1_blocks), CacheTier(Medium.STORAGE, profile.l2_blocks))


def prompt(name: int, tokens: int) -> tuple[int, ...]:
    """`tokens` tokens that begin like no other prompt's."""
    return tuple([name * 10_000 + index for index in range(tokens)])


@dataclass
class Rig:
    """One engine's pure part."""

    profile: Profile = PROFILE
    reach: Tiers = field(default_factory=tiers)
    fabric: Fabric = field(default_factory=Fabric)
    now: float = 0.0
    engine_id: str = "engine"

    def __post_init__(self) -> None:
        self.telemetry = Telemetry("m", self.profile)
        self.journal = Journal(self.profile.block_size, lambda: None)
        self.pool = BlockPool(self.profile.engine_blocks)
        self.memory = memory = Memory(self.pool, self.reach, self.journal, self.telemetry, self.profile.block_size)
        self.leases = Leases(self.profile.lease_seconds, self.pool.release, self.telemetry)
        self.loads = Loads(self.profile, memory, self.fabric, self.telemetry)
        self.scheduler = Scheduler(self.profile, memory, self.loads, self.leases, self.telemetry)
        self.fabric.join(self.engine_id, ("127.0.0.1", 1), self.leases)
        self._asked = 0

    def add(self, tokens: tuple[int, ...], answer_tokens: int = 1, intent: Intent = None) -> Sequence:
        """Queue a request that answers with exactly `answer_tokens` tokens."""
        self._asked += 1
        garbled = isinstance(intent, Pull) and self.fabric.claim(intent) is Claim.GONE
        answer = compose(tokens, Limits(answer_tokens, ignore_eos=True), ByteTokenizer(), garbled=garbled)
        sequence = Sequence(f"r{self._asked}", tokens, answer, intent, Times(self.now), max_tokens=answer_tokens)
        self.scheduler.add(sequence)
        return sequence

    def turn(self) -> list[Emission]:
        """One step, or a jump to the next moment something happens."""
        step = self.scheduler.plan(self.now)
        if step is not None:
            self.now += step.seconds
            return self.scheduler.complete(step, self.now)
        moment = self.scheduler.next_event()
        assert moment is not None, "nothing will ever happen"
        self.now = moment
        return []

    def run(self, *sequences: Sequence) -> str:
        """Until all of these have ended; answers the text of the last."""
        texts: dict[Sequence, str] = dict.fromkeys(sequences, "")
        while not all(sequence.gone for sequence in sequences):
            for emission in self.turn():
                texts[emission.sequence] = texts.get(emission.sequence, "") + emission.text
        return texts[sequences[-1]]

    def ask(self, tokens: tuple[int, ...], answer_tokens: int = 1, intent: Intent = None) -> Sequence:
        """Add and run one request."""
        sequence = self.add(tokens, answer_tokens, intent)
        self.run(sequence)
        return sequence

    def value(self, series: str) -> float:
        """A sample of the exposition, by everything before its value without the base labels."""
        lines = dict(line.rsplit(" ", 1) for line in self.telemetry.sheet.render() if not line.startswith("#"))
        plain = {_without_base(name): float(value) for name, value in lines.items()}
        return plain[series]

    def told(self) -> dict[Medium, tuple[int, int]]:
        """Blocks the journal told to be stored and removed since the last call, by medium."""
        batch = self.journal.take(0.0)
        counts = {medium: [0, 0] for medium in Medium}
        for event in batch.events if batch is not None else []:
            if isinstance(event, BlockStored | BlockRemoved):
                counts[event.medium][isinstance(event, BlockRemoved)] += len(event.block_hashes)
        return {medium: (stored, removed) for medium, (stored, removed) in counts.items()}


def _without_base(name: str) -> str:
    for base in ('engine="0",', 'engine="0"', 'model_name="m",', ',model_name="m"', 'model_name="m"'):
        name = name.replace(base, "")
    return name.replace("{}", "").replace(",}", "}")
