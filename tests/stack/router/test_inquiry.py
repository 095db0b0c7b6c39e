"""What strategies are told about a request: exact where it can be, and said to be unknown where not."""

from collections.abc import Mapping
from typing import Any

import msgspec

from stack.cache.index import BlockIndex
from stack.cache.sent import SentPrefixes
from stack.cache.tier_index import TierIndex
from stack.control.session_key import session_key
from stack.control.state import SESSION_KEYS
from stack.engines.lmcache_chunks import chunk_names, knows
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet, Member
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.placement import PlacementUnknownError, UnknownReason
from stack.model.request import RouteRequest
from stack.model.target import Target
from stack.model.tier import Pool, Tier
from stack.router.applied import Served
from stack.router.header_fields import HeaderFields
from stack.router.inquiry import Inquiry
from stack.router.message import Request
from stack.router.openai import CHAT, parse
from stack.router.placing import Placing
from stack.router.sessions import SessionPlaces, Sessions
from stack.router.settings import RouterSettings
from stack.strategies.disaggregation import DpdPolicy, PoolStrategies
from tests.stack.router.errands import NAMED

FLEET = Fleet.of([Member(Engine(Target(replica="decode-0", url="http://d", pool=Pool.DECODE, model="m", model_root="/m")))])
SERVED = Served(
    PoolStrategies(NAMED, NAMED),
    DpdPolicy(enabled=True, routing_threshold=4),
    session_places=SessionPlaces.of(map(session_key, SESSION_KEYS)),
)


class FakeTokens:
    """One token a word, unless it `refuses`."""

    def __init__(self, refuses: UnknownReason | None = None) -> None:
        self.refuses = refuses

    def unusable(self, model: str) -> UnknownReason | None:
        return None

    async def tokens(self, model: str, path: str, body: Mapping[str, Any]) -> list[int]:
        if self.refuses is not None:
            raise PlacementUnknownError(self.refuses)
        return [len(word) for word in body["messages"][0]["content"].split()]


def _placing(index: BlockIndex) -> Placing:
    return Placing(index, TierIndex(chunk_names, knows))


async def _about(
    tokens: FakeTokens,
    content: str,
    index: BlockIndex | None = None,
    headers: tuple[tuple[bytes, bytes], ...] = (),
    **fields: object,
) -> RouteRequest:
    inquiry = Inquiry(tokens, _placing(index or BlockIndex()), Sessions(b"s"), SentPrefixes(), RouterSettings(), lambda: 10.0)
    body = msgspec.json.encode({"model": "m", "messages": [{"role": "user", "content": content}], **fields})
    request = Request("POST", CHAT, "", HeaderFields(headers), body, 0.0)
    return await inquiry.about(request, parse(CHAT, body), "r1", FLEET, SERVED)


async def test_tokens_are_exact_with_a_tokenizer() -> None:
    route = await _about(FakeTokens(), "one two three")
    assert (route.prompt_tokens, route.tokens_exact) == (3, True)


async def test_tokens_are_estimated_from_bytes_without_one() -> None:
    route = await _about(FakeTokens(UnknownReason.NO_TOKENIZER), "x" * 400)
    assert (route.prompt_tokens, route.tokens_exact) == (102, False)  # 400 bytes, the role and a separator
    assert route.placement.unknown_reason == "no_tokenizer"


async def test_a_chat_is_known_by_its_opening() -> None:
    one, again, other = [await _about(FakeTokens(), content) for content in ("x" * 1100, "x" * 1100, "x" * 1100 + "y")]
    assert (one.opening_hash, one.opening_pieces) == (again.opening_hash, 2)
    assert (one.prefix_hashes[:-1], one.opening_hash == other.opening_hash) == (other.prefix_hashes[:-1], False)
    assert one.prefix_hashes[-1] == one.opening_hash


async def test_a_prompt_that_cannot_be_tokenized_says_why() -> None:
    route = await _about(FakeTokens(refuses=UnknownReason.UNSUPPORTED_CONTENT), "hello")
    assert (route.tokens_exact, route.placement.unknown_reason) == (False, "unsupported_content")


async def test_the_placement_comes_from_the_index() -> None:
    index = BlockIndex()
    index.follow(Source("decode-0"))
    index.apply(Source("decode-0"), KvBatch(1.0, (Stored([1], None, [3, 3], 2, Tier.ENGINE),)), 4.0)
    route = await _about(FakeTokens(), "one two three", index)
    assert route.placement.engines["decode-0"].engine_tokens == 2
    assert route.placement.engines["decode-0"].age_seconds == 6.0


async def test_a_salted_prompt_does_not_meet_an_unsalted_one() -> None:
    index = BlockIndex()
    index.follow(Source("decode-0"))
    index.apply(Source("decode-0"), KvBatch(1.0, (Stored([1], None, [3, 3], 2, Tier.ENGINE),)), 4.0)
    route = await _about(FakeTokens(), "one two three", index, cache_salt="tenant")
    assert route.placement.engines["decode-0"].engine_tokens == 0


async def _routes(*bodies: dict[str, Any]) -> list[RouteRequest]:
    """What one inquiry says of several requests in a row."""
    inquiry = Inquiry(FakeTokens(), _placing(BlockIndex()), Sessions(b"s"), SentPrefixes(), RouterSettings(), lambda: 10.0)
    routes = []
    for fields in bodies:
        body = msgspec.json.encode({"model": "m", **fields})
        request = Request("POST", CHAT, "", HeaderFields(()), body, 0.0)
        routes.append(await inquiry.about(request, parse(CHAT, body), "r", FLEET, SERVED))
    return routes


def _saying(content: str, **fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content}], **fields}


async def test_equal_beginnings_have_equal_hashes() -> None:
    first, second = await _routes(_saying("word " * 200 + "a"), _saying("word " * 200 + "b"))
    assert first.prefix_hashes[:-1] == second.prefix_hashes[:-1] != []


async def test_requests_are_numbered_by_the_path_they_are_meant_for() -> None:
    short, long = "one two three", "one two three four"
    routes = await _routes(_saying(short), _saying(long), _saying(short), _saying(long), _saying(long, n=2), _saying(long))
    assert [route.sequence for route in routes] == [0, 0, 1, 1, 2, 2]  # the one with two choices cannot be split


async def test_the_session_is_known_by_a_hash() -> None:
    route = await _about(FakeTokens(), "hi", headers=((b"x-session-id", b"alice"),))
    assert route.session_key is not None
    assert "alice" not in route.session_key
