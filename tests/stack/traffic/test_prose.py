import random

import pytest

from stack.traffic import prose


def test_a_document_is_the_same_every_time_and_like_no_other() -> None:
    assert prose.document(1, 300) == prose.document(1, 300) != prose.document(2, 300)


def test_a_longer_document_continues_a_shorter_one() -> None:
    assert prose.document(1, 600).startswith(prose.document(1, 300)[:1000])


@pytest.mark.parametrize("tokens", [100, 700, 2000])
def test_a_document_has_about_as_many_words_as_it_needs(tokens: int) -> None:
    text = prose.document(3, tokens)
    words_and_stops = len(text.split()) + text.count(".") + text.count(",")
    assert words_and_stops == pytest.approx(tokens, rel=0.15, abs=30)


def test_filler_depends_on_its_name_alone() -> None:
    assert prose.filler("block 7", 50) == prose.filler("block 7", 50) != prose.filler("block 8", 50)
    assert len(prose.filler("block 7", 50).split()) == 50


def test_what_people_say_follows_the_random_numbers() -> None:
    assert prose.question(random.Random(5)) == prose.question(random.Random(5))
    assert prose.small_talk(random.Random(5)) == prose.small_talk(random.Random(5))
