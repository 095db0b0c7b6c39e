"""An emulated engine in virtual time: the emulator's own parts, stepped by the agenda."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from stack.bench.routing.agenda import Agenda
from stack.emulator.core import Ask, Core
from stack.emulator.events import Journal
from stack.emulator.profiles import Profile
from stack.emulator.scheduler import Emission, Step
from stack.emulator.sequence import Sequence
from stack.emulator.tiers import Tiers
from stack.emulator.tokens import ByteTokenizer
from stack.emulator.transfer import Fabric

Listener = Callable[[Emission], None]
PORT = 1


@dataclass(slots=True)
class Effort:
    """What an engine did: seconds of its steps, and of those that computed some prompt, by the moment they began."""

    steps: list[tuple[float, float, bool]]

    def busy(self, since: float, until: float) -> float:
        """The share of that time (0 to 1) in which it computed prompts."""
        return sum(seconds for began, seconds, prompt in self.steps if prompt and since <= began < until) / (until - since)


class VirtualEngine:
    """One engine. `publish` gets its KV events as bytes, in vLLM's encoding, when a step is over."""

    def __init__(
        self, name: str, profile: Profile, tiers: Tiers, fabric: Fabric, agenda: Agenda, publish: Callable[[bytes], None]
    ) -> None:
        self.name = name
        self.effort = Effort([])
        self._agenda = agenda
        self._publish = publish
        self._journal = Journal(profile.block_size, lambda: None)
        self._core = Core("bench", profile, tiers, fabric, ByteTokenizer(), self._journal, self._wake)
        self._listeners: dict[Sequence, Listener] = {}
        self._stepping = False
        fabric.join(name, (name, PORT), self._core.leases)

    def submit(self, ask: Ask, listener: Listener) -> None:
        """A request arrives; `listener` gets each of its tokens."""
        self._listeners[self._core.admit(ask, self._agenda.now)] = listener
        self._wake()

    def _wake(self) -> None:
        if not self._stepping:
            self._stepping = True
            self._agenda.after(0.0, self._step)

    def _step(self) -> None:
        now = self._agenda.now
        step = self._core.scheduler.plan(now)
        self._flush()
        if step is None:
            self._stepping = False
            if (moment := self._core.scheduler.next_event()) is not None:
                self._agenda.at(moment, self._wake)
            return
        prompt = any(not sequence.decoding for sequence, _ in step.work)
        self.effort.steps.append((now, step.seconds, prompt))
        self._agenda.after(step.seconds, lambda: self._complete(step))

    def _complete(self, step: Step) -> None:
        for emission in self._core.scheduler.complete(step, self._agenda.now):
            listener = self._listeners[emission.sequence]
            if emission.reason is not None:
                del self._listeners[emission.sequence]
            listener(emission)
        self._flush()
        self._step()

    def _flush(self) -> None:
        batch = self._journal.take(self._agenda.now)
        if batch is not None:
            self._publish(msgspec.msgpack.encode(batch))
