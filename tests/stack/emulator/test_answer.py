from hypothesis import given
from hypothesis import strategies as st

from stack.emulator.answer import Limits, compose
from stack.emulator.tokens import ByteTokenizer

BYTES = ByteTokenizer()


def text(prompt: list[int], limits: Limits, *, garbled: bool = False) -> str:
    return "".join(compose(prompt, limits, BYTES, garbled=garbled).pieces)


def test_it_says_that_it_is_emulated() -> None:
    assert text([1, 2, 3], Limits(20)).startswith("[emulated] ")


def test_it_depends_on_the_prompt_alone() -> None:
    assert text([1, 2, 3], Limits(20)) == text([1, 2, 3], Limits(20)) != text([1, 2, 4], Limits(20))


def test_a_longer_answer_continues_a_shorter_one() -> None:
    assert text([1, 2, 3], Limits(30)).startswith(text([1, 2, 3], Limits(10)))


def test_lost_kv_gives_other_text() -> None:
    assert "garbled" in text([1, 2, 3], Limits(30), garbled=True)


@given(st.lists(st.integers(0, 2**32 - 1)), st.integers(1, 400))
def test_an_answer_has_as_many_tokens_as_asked_for_when_it_may_not_end(prompt: list[int], tokens: int) -> None:
    answer = compose(prompt, Limits(tokens, ignore_eos=True), BYTES)
    assert (len(answer.tokens), answer.reason) == (tokens, "length")
    assert len(answer.pieces) == tokens


def test_an_answer_ends_by_itself_when_it_may() -> None:
    answer = compose([1], Limits(1000), BYTES)
    assert answer.reason == "stop"
    assert 32 <= len(answer.tokens) < 128
    assert len(compose([1], Limits(1000, min_tokens=500), BYTES).tokens) == 500


def test_a_stop_string_cuts_the_answer_before_itself() -> None:
    whole = text([1, 2, 3], Limits(30))
    stop = whole.split()[3]
    answer = compose([1, 2, 3], Limits(30, stop=(stop, "never said")), BYTES)
    assert "".join(answer.pieces) == whole[: whole.index(stop)]
    assert (answer.reason, answer.stop_reason) == ("stop", stop)
