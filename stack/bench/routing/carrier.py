"""Carries out a plan in virtual time, as the executor and its legs do over sockets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack

from stack.bench.routing.agenda import Agenda
from stack.bench.routing.virtual_engine import PORT, VirtualEngine
from stack.bench.routing.workload import Turn
from stack.emulator.answer import Limits
from stack.emulator.core import Ask
from stack.emulator.scheduler import Emission
from stack.emulator.sequence import Sequence
from stack.engines.answer_facts import AnswerFacts
from stack.router.errand import Errand
from stack.router.in_flight import InFlight

Over = Callable[[], None]


class Carrier:
    """Between one router and its engines. Every message takes `network_seconds`."""

    def __init__(self, agenda: Agenda, engines: Mapping[str, VirtualEngine], in_flight: InFlight, network_seconds: float) -> None:
        self._agenda = agenda
        self._engines = engines
        self._in_flight = in_flight
        self._network = network_seconds

    def run(self, errand: Errand, turn: Turn, over: Over) -> None:
        """Both legs, or the one; `over` is called when the last token is back."""
        if errand.plan.prefill is None:
            self._answer(errand, turn, None, over)
        else:
            self._prefill(errand, turn, errand.plan.prefill.engine, over)

    def _prefill(self, errand: Errand, turn: Turn, engine: str, over: Over) -> None:
        attempts = ExitStack()
        attempts.enter_context(self._in_flight.attempt(errand.plan.decode.engine, pieces=errand.route.prefix_hashes))
        attempts.enter_context(
            self._in_flight.attempt(engine, errand.route.prompt_tokens, errand.uncached(engine), pieces=errand.route.prefix_hashes)
        )
        errand.timeline.prefill_sent = self._agenda.now
        ask = Ask(errand.route.request_id, turn.tokens, Limits(1, ignore_eos=True), {"do_remote_decode": True})

        def answered(emission: Emission) -> None:
            errand.timeline.prefill_answered = self._agenda.now
            errand.prefill_engine = engine
            errand.prefill_facts = _facts(emission.sequence)
            attempts.close()
            params = {
                "do_remote_prefill": True,
                "remote_block_ids": [list(emission.kept)],
                "remote_engine_id": engine,
                "remote_request_id": errand.route.request_id,
                "remote_host": engine,
                "remote_port": PORT,
            }
            self._answer(errand, turn, params, over)

        self._send(engine, ask, answered)

    def _answer(self, errand: Errand, turn: Turn, transfer: Mapping[str, object] | None, over: Over) -> None:
        attempts = ExitStack()
        work = 0 if transfer is not None else errand.uncached(errand.engine)
        attempt = attempts.enter_context(
            self._in_flight.attempt(errand.engine, errand.route.prompt_tokens, work, pieces=errand.route.prefix_hashes)
        )
        errand.timeline.decode_sent = self._agenda.now
        errand.streamed = True
        last = 0.0

        def token(emission: Emission) -> None:
            nonlocal last
            now = self._agenda.now
            if errand.timeline.first_token is None:
                errand.timeline.first_token = now
                self._in_flight.computed(attempt)
            else:
                errand.gaps.append(now - last)
            last = now
            if emission.reason is not None:
                attempts.close()
                errand.status, errand.whole = 200, True
                errand.facts = _facts(emission.sequence)
                errand.timeline.done = now
                over()

        self._send(errand.engine, Ask(f"{errand.route.request_id}-answer", turn.tokens, turn.limits, transfer), token)

    def _send(self, engine: str, ask: Ask, listener: Callable[[Emission], None]) -> None:
        """There and back again: each way takes the network's time."""

        def back(emission: Emission) -> None:
            self._agenda.after(self._network, lambda: listener(emission))

        self._agenda.after(self._network, lambda: self._engines[engine].submit(ask, back))


def _facts(sequence: Sequence) -> AnswerFacts:
    """What the engine would say in its answer."""
    times, origin = sequence.times, sequence.origin
    queue = first = None
    if times.scheduled is not None and times.first_token is not None:
        queue, first = times.scheduled - times.arrived, times.first_token - times.scheduled
    return AnswerFacts(len(sequence.prompt), sequence.generated, origin.device + origin.external, queue, first)
