"""Fleets and requests for tests of strategies: by hand, and drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from hypothesis import strategies as st
from msgspec.structs import replace

from stack.fleet.engine import Engine, Health
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.placement import UNKNOWN, EnginePlacement, Placement
from stack.model.rates import PROFILE
from stack.model.request import RouteRequest
from stack.model.target import Target
from stack.model.tier import Pool


def engine(
    name: str, in_flight: int = 0, *, pool: Pool = Pool.DECODE, health: Health = Health.READY, draining: bool = False
) -> Engine:
    target = Target(replica=name, url=f"http://127.0.0.1/{name}", pool=pool, model="m", model_root="/m")
    return Engine(target, health, draining, in_flight)


def loaded(counts: Mapping[str, int]) -> Callable[[Engine], Engine]:
    """Adds these counts to engines of a fleet."""
    return lambda engine: replace(engine, in_flight=counts.get(engine.name, 0))


def fleet(size: int) -> list[Engine]:
    return [engine(f"decode-{index}") for index in range(size)]


def request(
    sequence: int = 0,
    *,
    prompt_tokens: int = 1000,
    prefix: Sequence[int] = (),
    opening: tuple[int, int] | None = None,
    session: str | None = None,
    placement: Placement = UNKNOWN,
) -> RouteRequest:
    return RouteRequest(
        request_id=f"r{sequence}",
        model="m",
        sequence=sequence,
        prompt_tokens=prompt_tokens,
        prompt_bytes=4 * prompt_tokens,
        prefix_hashes=prefix,
        opening_hash=None if opening is None else opening[0],
        opening_pieces=0 if opening is None else opening[1],
        session_key=session,
        placement=placement,
    )


def placed(prompt_tokens: int, **engines: EnginePlacement) -> Placement:
    """Keyword names stand for engine names, with `_` for `-`."""
    known: Mapping[str, EnginePlacement] = {name.replace("_", "-"): held for name, held in engines.items()}
    return Placement(MappingProxyType(dict(known)), prompt_tokens)


hashes = st.integers(min_value=0, max_value=2**64 - 1)
prefixes = st.lists(hashes, max_size=8).map(tuple)
_queues = st.builds(
    lambda head, rest, since: Queue(head + rest, head, since), st.integers(0, 9000), st.integers(0, 9000), st.floats(0, 9)
)
_rates = st.floats(100.0, 100_000.0).map(lambda prefill: replace(PROFILE, prefill_tokens_per_s=prefill))
_states = st.tuples(st.integers(0, 40), st.just(EMPTY_QUEUE) | _queues, st.just(PROFILE) | _rates)
fleets = st.dictionaries(st.sampled_from([f"decode-{i}" for i in range(12)]), _states, min_size=1).map(
    lambda states: [replace(engine(name, load), queue=queue, rates=rates) for name, (load, queue, rates) in states.items()]
)


@st.composite
def requests(draw: st.DrawFn) -> RouteRequest:
    tokens = draw(st.integers(1, 5000))
    held = st.builds(EnginePlacement, st.integers(0, tokens), st.just(0), st.just(0), st.just(0.1))
    known = draw(st.dictionaries(st.sampled_from([f"decode-{i}" for i in range(12)]), held, max_size=6))
    return request(
        draw(st.integers(0, 10_000)),
        prompt_tokens=tokens,
        prefix=draw(prefixes),
        opening=draw(st.none() | st.tuples(hashes, st.integers(0, 8))),
        session=draw(st.none() | st.text(max_size=8)),
        placement=Placement(MappingProxyType(known), tokens) if known else UNKNOWN,
    )
