"""`kvdeck bench tokens`: a router that follows canned engines' KV events, asked prompts that were partly seen before."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.json import encode
from rich.console import Console

from stack.adapters.chat_tokens import ChatTokenizer, NoTokenizerError
from stack.bench.quantile import quantile
from stack.bench.router.chats import MODEL
from stack.bench.router.placement import Placement, place
from stack.bench.router.process import Pinned, Yard, end_on_sigterm, on_cores
from stack.bench.router.stand import await_ready, free_ports
from stack.bench.router.subjects import Own
from stack.bench.tokens.asking import line, paced
from stack.bench.tokens.figures import Added, Others, Report, added
from stack.bench.tokens.holders import BLOCK_TOKENS, Holders
from stack.bench.tokens.prompts import Case, Kind, Writer
from stack.config import Layout
from stack.local.checklist import Checklist
from stack.local.cores import hardware_siblings, usable_cores
from stack.model.target import Target
from stack.model.tier import Pool

_ENGINES = 8
_CANNED_RATE = 100_000.0  # the engines answer at once
_CASES = (
    (Case(Kind.CHAT, 4_000, 150), 1.5),
    (Case(Kind.CHAT, 32_000, 1_600), 4.0),
    (Case(Kind.TEXT, 32_000, 1_600), 4.0),
    (Case(Kind.IDS, 32_000, 1_600), 4.0),
    (Case(Kind.CHAT, 4_000, 4_000), None),
)
_SMALL = Case(Kind.CHAT, 200, 20)
_LONG = Case(Kind.TEXT, 32_000, 32_000)


class NoModelError(Exception):
    """The model's tokenizer is not here; the message says how to get it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBenchOptions:
    """`requests` of each case; `seconds` of small requests, alone and beside `long_per_second` unseen long ones."""

    requests: int = 60
    seconds: float = 8.0
    small_per_second: float = 50.0
    long_per_second: float = 4.0
    force: bool = False


def run(layout: Layout, options: TokenBenchOptions, console: Console) -> Report:
    """The whole benchmark. Raises NoModelError, OneCoreError, ProcessError."""
    end_on_sigterm()
    try:
        tokenizer = ChatTokenizer.load(str(layout.model))
    except NoTokenizerError as error:
        raise NoModelError(f"{error}: ./kvdeck up unpacks the model") from error
    with tempfile.TemporaryDirectory(prefix="kvdeck-bench-") as folder, ExitStack() as ends:
        checklist, yard = ends.enter_context(Checklist(console)), ends.enter_context(Yard(layout.logs))
        bench = _Bench(layout, options, Path(folder), tokenizer, ends)
        with checklist.step("Router and engines"):
            router, direct, routed = bench.start(yard)
        with checklist.step("Prompts seen before", total=len(_CASES)) as step, on_cores(bench.placement.others):
            cases = []
            for case, bar in _CASES:
                step.detail(case.name)
                cases.append(bench.case(case, bar, direct, routed, router))
                step.advance()
        with checklist.step("Other requests"), on_cores(bench.placement.others):
            others = bench.others(routed)
    return Report(
        seen_4000_added_p50_ms=cases[0].p50_ms,
        seen_32000_added_p50_ms=cases[1].p50_ms,
        others_added_p99_ms=others.beside_p99_ms - others.alone_p99_ms,
        engines=_ENGINES,
        block_tokens=BLOCK_TOKENS,
        cases=cases,
        others=others,
        meaningless="one core for router, load and back end" if bench.placement.shared else None,
    )


class _Bench:
    """What one benchmark has at hand."""

    def __init__(self, layout: Layout, options: TokenBenchOptions, folder: Path, tokenizer: ChatTokenizer, ends: ExitStack) -> None:
        self._model, self._options, self._folder, self._tokenizer = layout.model, options, folder, tokenizer
        self.placement: Placement = place(usable_cores(), hardware_siblings, force=options.force)
        self._writer = Writer(lambda text: len(self._tokens(text)), self._tokens)
        self._holders = ends.enter_context(Holders([f"decode-{number}" for number in range(_ENGINES)]))

    def _tokens(self, text: str) -> Sequence[int]:
        return self._tokenizer.completion({"prompt": text, "add_special_tokens": False})

    def start(self, yard: Yard) -> tuple[Pinned, str, str]:
        """The router's process, an engine's URL and the router's."""
        *ports, control, listen = free_ports(_ENGINES + 2)
        argv = (sys.executable, "-m", "stack.wiring.bench_canned", str(_CANNED_RATE), *map(str, (*ports, control)))
        yard.start("canned engines", argv, self.placement.others)
        own = Own(self._folder, _url(control))
        own.write(
            [
                Target(
                    replica=engine, url=_url(port), pool=Pool.DECODE, model=MODEL, model_root=str(self._model), kv_events=endpoint
                )
                for engine, port, endpoint in zip(self._holders.engines, ports, self._holders.endpoints, strict=True)
            ]
        )
        router = yard.start("kvdeck kv_aware", own.command("kv_aware", listen), self.placement.router)
        await_ready(_url(listen), router)
        return router, _url(ports[0]), _url(listen)

    def case(self, case: Case, bar: float | None, direct: str, routed: str, router: Pinned) -> Added:
        """Each prompt directly and through the router, in turn."""
        base = self._writer.base(case) if case.new < case.tokens else []
        with line(direct) as engine, line(routed) as way:
            if base:
                self._holders.hold(self._prompt(self._writer.seen(case, base)), routed)
                way.ask(case.kind.path, encode(self._writer.seen(case, base)))
            asked = [self._writer.body(case, base) for _ in range(self._options.requests)]
            bodies = [encode(body) for body in asked]
            straight, through, before = [], [], router.cpu_seconds()
            for body in bodies:
                straight.append(engine.ask(case.kind.path, body))
                through.append(way.ask(case.kind.path, body))
            spent = router.cpu_seconds() - before
        return Added(
            case=case.name,
            requests=len(bodies),
            prompt_tokens=len(self._prompt(asked[0])),
            body_bytes=len(bodies[0]),
            best_ms=added(through, straight, 0.0),
            p50_ms=added(through, straight, 0.5),
            p99_ms=added(through, straight, 0.99),
            cpu_ms=spent / len(bodies) * 1e3,
            bar_ms=bar,
        )

    def others(self, routed: str) -> Others:
        """Small requests at a steady pace, alone and then beside long ones that nobody asked before."""
        options = self._options
        long = [encode(self._writer.body(_LONG, "")) for _ in range(round(options.seconds * options.long_per_second))]
        small = [encode(self._writer.body(_SMALL, [])) for _ in range(round(options.seconds * options.small_per_second))]
        alone = paced(routed, _SMALL.kind.path, small, options.small_per_second)
        beside = threading.Thread(target=paced, args=(routed, _LONG.kind.path, long, options.long_per_second))
        beside.start()
        busy = paced(routed, _SMALL.kind.path, small, options.small_per_second)
        beside.join()
        return Others(
            requests_per_second=options.small_per_second,
            long_tokens=_LONG.tokens,
            long_per_second=options.long_per_second,
            alone_p50_ms=quantile(alone, 0.5) * 1e3,
            alone_p99_ms=quantile(alone, 0.99) * 1e3,
            beside_p50_ms=quantile(busy, 0.5) * 1e3,
            beside_p99_ms=quantile(busy, 0.99) * 1e3,
        )

    def _prompt(self, asked: Mapping[str, Any]) -> Sequence[int]:
        return self._tokenizer.chat(asked) if "messages" in asked else self._tokenizer.completion(asked)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
