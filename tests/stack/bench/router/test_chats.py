"""The chats of the load: equally long, valid, with shared beginnings."""

import json
from itertools import takewhile

from stack.bench.router.chats import Shape, chats

SMALL = Shape(body_bytes=2048, system_bytes=512, system_prompts=2, conversations=4)


def _beginning(one: str, other: str) -> int:
    """How long both begin in the same way."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=True)))


def test_every_body_is_a_chat_of_the_size_asked_for() -> None:
    bodies = [chat.body(number).encode() for number, chat in enumerate(chats(SMALL))]
    assert [len(body) for body in bodies] == [2048] * 4
    assert {(body["model"], body["stream"], len(body["messages"])) for body in map(json.loads, bodies)} == {("canned", False, 4)}


def test_conversations_share_their_system_prompt_and_nothing_else() -> None:
    first, second, third, _ = (chat.body(1) for chat in chats(SMALL))
    assert _beginning(first, third) >= 512
    assert _beginning(first, second) < 100


def test_the_same_chat_asked_again_differs_in_its_last_question_only() -> None:
    chat = chats(SMALL)[0]
    before, after = chat.body(7), chat.body(8)
    assert before != after
    assert len(before) == len(after)
    assert _beginning(before, after) > 1800


def test_equal_seeds_make_equal_chats() -> None:
    assert chats(SMALL, seed=3) == chats(SMALL, seed=3) != chats(SMALL, seed=4)


def test_streamed_chats_say_how_long() -> None:
    body = json.loads(chats(SMALL, stream_tokens=250)[0].body(0))
    assert (body["stream"], body["max_tokens"]) == (True, 250)
