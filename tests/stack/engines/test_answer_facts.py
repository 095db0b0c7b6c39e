from __future__ import annotations

import pytest

from stack.engines.answer_facts import NO_FACTS, AnswerFacts, answer_facts


def test_usage_and_timings_are_read() -> None:
    answer = (
        b'{"id":"x","choices":[],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,'
        b'"prompt_tokens_details":{"cached_tokens":8}},'
        b'"metrics":{"time_to_first_token_ms":250.0,"generation_time_ms":1500,"queue_time_ms":0.5,"mean_itl_ms":null}}'
    )
    assert answer_facts(answer) == AnswerFacts(9, 3, 8, 0.0005, 0.25, 1.5)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]",
        b"{}",
        b'{"usage":null,"metrics":null}',
        b'{"usage":{"prompt_tokens":"9"}}',
        b'{"usage":{},"metrics":{}}',
        b"[" * 100_000,
    ],
)
def test_what_is_not_there_is_unknown(answer: bytes) -> None:
    assert answer_facts(answer) == NO_FACTS


def test_details_may_be_missing() -> None:
    assert answer_facts(b'{"usage":{"prompt_tokens":9,"prompt_tokens_details":null}}') == AnswerFacts(prompt_tokens=9)
