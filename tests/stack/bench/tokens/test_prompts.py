"""Prompts of about the size asked for, which go on from what was asked before."""

import pytest

from stack.bench.tokens.prompts import Case, Kind, Writer


def writer(seed: int = 0) -> Writer:
    """For a tokenizer of one token a word."""
    return Writer(lambda text: len(text.split()), lambda text: [len(word) for word in text.split()], seed)


@pytest.mark.parametrize("case", [Case(Kind.TEXT, 1000, 50), Case(Kind.IDS, 1000, 50)])
def test_a_prompt_is_what_was_seen_and_something_new_each_time(case: Case) -> None:
    made = writer()
    base = made.base(case)
    first, second = (made.body(case, base)["prompt"] for _ in range(2))
    assert first[: len(base)] == second[: len(base)] == base == made.seen(case, base)["prompt"]
    assert first != second
    assert len(first.split() if case.kind is Kind.TEXT else first) == 1000


def test_a_conversation_goes_on_with_an_answer_and_a_question() -> None:
    made, case = writer(), Case(Kind.CHAT, 4000, 150)
    base = made.base(case)
    messages = made.body(case, base)["messages"]
    assert (messages[:-2], [message["role"] for message in messages[-2:]]) == (base, ["assistant", "user"])
    assert sum(len(message["content"].split()) for message in messages) == pytest.approx(4000, rel=0.01)


def test_a_new_conversation_begins_with_a_question() -> None:
    messages = writer().body(Case(Kind.CHAT, 200, 200), [])["messages"]
    assert messages[0]["role"] == "user"


def test_equal_seeds_write_equal_prompts() -> None:
    assert writer(1).prose(50) == writer(1).prose(50) != writer(2).prose(50)


def test_a_case_is_named_by_what_it_is() -> None:
    assert Case(Kind.CHAT, 32_000, 1_600).name == "chat, 32,000 tokens, 1,600 of them new"
