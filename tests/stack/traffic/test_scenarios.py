import random
from itertools import pairwise

import pytest

from stack.traffic.prose import TOKENS_PER_WORD
from stack.traffic.request import Request
from stack.traffic.scenarios import SCENARIOS, Chats, Documents, Mixed, Sizes

LARGE = Sizes(context=4096, answer=24)


def turns(chats: Chats, count: int) -> list[Request]:
    """Requests that are answered at once."""
    asked: list[Request] = []
    for _ in range(count):
        request, finished = chats.next()
        asked.append(request)
        finished("Yes.")
    return asked


def tokens(request: Request) -> float:
    return sum(len(text.split()) for _, text in request.messages) * TOKENS_PER_WORD


def test_a_chat_goes_on_with_what_was_said() -> None:
    by_chat: dict[str | None, list[Request]] = {}
    for request in turns(Chats(random.Random(1), LARGE), 60):
        by_chat.setdefault(request.session, []).append(request)
    for requests in by_chat.values():
        for earlier, later in pairwise(requests):
            assert later.messages[: len(earlier.messages)] == earlier.messages
            assert later.messages[len(earlier.messages)] == ("assistant", "Yes.")
    assert max(len(requests) for requests in by_chat.values()) == 5


def test_all_chats_share_their_first_message() -> None:
    firsts = {request.messages[0] for request in turns(Chats(random.Random(1), LARGE), 30)}
    assert [role for role, _ in firsts] == ["system"]


def test_a_chat_waits_for_its_answer_and_another_begins_meanwhile() -> None:
    chats = Chats(random.Random(1), LARGE)
    sessions = [chats.next()[0].session for _ in range(20)]
    assert len(set(sessions)) == 20


def test_a_chat_whose_answer_failed_is_over() -> None:
    chats = Chats(random.Random(1), LARGE)
    request, finished = chats.next()
    finished(None)
    assert request.session not in {chats.next()[0].session for _ in range(20)}


def test_documents_are_long_and_asked_about_repeatedly() -> None:
    documents = Documents(random.Random(1), LARGE)
    asked = [documents.next()[0] for _ in range(60)]
    by_document = {request.session: request for request in asked}
    assert len(by_document) == 6
    assert all(1000 <= tokens(request) <= 2100 for request in by_document.values())
    counts = sorted((sum(request.session == session for request in asked) for session in by_document), reverse=True)
    assert counts[0] > 2 * counts[-1]


def test_a_document_fits_into_a_small_context() -> None:
    documents = Documents(random.Random(1), Sizes(context=512, answer=24))
    assert max(tokens(documents.next()[0]) for _ in range(20)) < 512


def test_mixed_traffic_has_one_long_prompt_in_five() -> None:
    mixed = Mixed(random.Random(1), LARGE)
    asked = []
    for _ in range(400):
        request, finished = mixed.next()
        finished("Yes.")
        asked.append(request)
    long = [request for request in asked if request.kind == "document"]
    assert 0.15 < len(long) / len(asked) < 0.25
    assert all(600 <= tokens(request) <= 1600 for request in long)


@pytest.mark.parametrize("name", SCENARIOS)
def test_equal_seeds_ask_the_same(name: str) -> None:
    first, second = (SCENARIOS[name](random.Random(3), LARGE) for _ in range(2))
    assert [first.next()[0] for _ in range(30)] == [second.next()[0] for _ in range(30)]
