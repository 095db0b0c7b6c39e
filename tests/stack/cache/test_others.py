"""That other routers send to the same engines shows in what was cached though it was never sent from here."""

from stack.cache.others import Others


def test_a_prompt_that_was_cached_though_nobody_here_sent_it_shows_others() -> None:
    others = Others()
    others.found(0, 0, 1000)
    assert not others.seen
    others.found(0, 950, 1000)
    assert not others.seen
    others.found(0, 950, 1000)
    assert others.seen


def test_who_is_told_of_others_need_not_see_them() -> None:
    others = Others()
    others.told = True
    assert others.seen


def test_what_was_sent_from_here_shows_nobody() -> None:
    others = Others()
    for _ in range(50):
        others.found(900, 1000, 1000)
        others.found(400, 400, 1000)
        others.found(400, 300, 1000)
        others.found(0, 200, 1000)  # shorter than a piece
        others.found(0, 0, 0)
    assert not others.seen


def test_others_that_are_gone_are_forgotten_in_some_hundreds_of_prompts() -> None:
    others = Others()
    for _ in range(20):
        others.found(0, 1000, 1000)
    for _ in range(50):
        others.found(0, 0, 1000)
    assert others.seen
    for _ in range(150):
        others.found(0, 0, 1000)
    assert not others.seen
