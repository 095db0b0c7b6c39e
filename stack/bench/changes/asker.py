"""The load's client: streams and whole answers in turn, each with what it says of the configuration it went by."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

import msgspec

from stack.bench.changes.exchange import Exchange
from stack.traffic import prose
from stack.traffic.request import Failure, Outcome, Request
from stack.traffic.scenarios import Finished

ANSWER_TOKENS = 8
_PROMPT_TOKENS = (20, 100, 200, 400, 800)
_DOCUMENTS = 24  # asked about again and again, so that there is something to be found in caches
_SESSIONS = 12


class Passages:
    """A scenario of short and long prompts with a session each, every one of them answered in a moment."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._texts = {
            (number, tokens): prose.document(number, tokens) for number in range(_DOCUMENTS) for tokens in _PROMPT_TOKENS
        }

    def next(self) -> tuple[Request, Finished]:
        text = self._texts[self._rng.randrange(_DOCUMENTS), self._rng.choice(_PROMPT_TOKENS)]
        text = f"{text}\n\n{prose.question(self._rng)}"
        session = f"reader-{self._rng.randrange(_SESSIONS)}"
        return Request("passage", ANSWER_TOKENS, messages=(("user", text),), session=session), lambda _: None


class Said(NamedTuple):
    """An answer's own words: the generation it went by and the strategy that chose its decode engine; None where it has none."""

    generation: str | None
    strategy: str | None


class Asker:
    """Asks one router. `failed` counts what is no whole answer with status 200, in words; `said` is of those that are."""

    def __init__(self, exchange: Exchange, model: str, clock: Callable[[], float]) -> None:
        self._exchange, self._model, self._clock = exchange, model, clock
        self._numbers = count()
        self.asked = 0
        self.failed: Counter[str] = Counter()
        self.said: Counter[Said] = Counter()
        self.longest_seconds = 0.0

    async def ask(self, request: Request, began: float) -> tuple[Outcome, str | None]:
        """One request. Failures are outcomes."""
        sent, streamed = self._clock(), next(self._numbers) % 2 == 0
        fault = await self._ask(request, streamed)
        self.asked += 1
        took = self._clock() - sent
        self.longest_seconds = max(self.longest_seconds, took)
        if fault is not None:
            self.failed[fault] += 1
        failure = None if fault is None else Failure.SERVER_ERROR
        return Outcome(kind=request.kind, started=sent - began, failure=failure, total_seconds=took), None

    async def _ask(self, request: Request, streamed: bool) -> str | None:
        """What is wrong with the answer, None for nothing."""
        messages = [{"role": role, "content": text} for role, text in request.messages]
        body = {"model": self._model, "max_tokens": request.max_tokens, "messages": messages, "stream": streamed}
        headers = {"content-type": "application/json", "x-session-id": request.session or ""}
        try:
            answer = await self._exchange.post("/v1/chat/completions", headers, msgspec.json.encode(body))
        except (OSError, EOFError, ValueError) as error:  # a timeout is the first of these
            return type(error).__name__
        if answer.status != 200:
            return f"status {answer.status}"
        whole = b"data: [DONE]" in answer.content if streamed else b'"choices"' in answer.content
        if not whole or b'"error"' in answer.content:
            return "not whole"
        self.said[Said(answer.headers.get("x-kvdeck-generation"), answer.headers.get("x-kvdeck-strategy"))] += 1
        return None
