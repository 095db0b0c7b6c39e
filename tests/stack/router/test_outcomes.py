"""What a finished errand says about its engines."""

from msgspec.structs import replace

from stack.engines.answer_facts import AnswerFacts
from stack.model.placement import UNKNOWN
from stack.model.plan import Choice
from stack.model.recalled import Recalled
from stack.router.outcomes import found
from tests.stack.router.errands import CANDIDATES, ROUTE, chosen, errand

HOME = Choice("decode-0", reason="new_prefix")
UNPLACED = replace(ROUTE, placement=UNKNOWN, prompt_bytes=2800, prefix_hashes=[1, 2, 3, 4, 5])


def test_a_prompt_at_its_home_shows_what_was_there_already() -> None:
    at_home = chosen(HOME, CANDIDATES)
    at_home.route = UNPLACED
    assert found(at_home) == (0, 688, 700)
    at_home.route = replace(UNPLACED, recalled=Recalled(((1, frozenset({"decode-0"})),)))
    assert found(at_home) == (192, 688, 700)  # one piece and a half of five and a half


def test_what_came_from_a_tier_that_engines_share_does_not_count() -> None:
    placed = chosen(HOME, CANDIDATES)
    placed.route = replace(UNPLACED, placement=ROUTE.placement)
    assert found(placed) == (0, 32, 700)


def test_prompts_that_went_elsewhere_or_of_which_nothing_is_told_show_nothing() -> None:
    silent = chosen(HOME, CANDIDATES)
    silent.facts = AnswerFacts()
    silent.route = UNPLACED
    short = chosen(HOME, CANDIDATES)
    short.route = replace(UNPLACED, prefix_hashes=[1, 2, 3])
    left = chosen(replace(HOME, reason="imbalance"), CANDIDATES)
    left.route = UNPLACED
    assert [found(each) for each in (silent, short, left, errand())] == [None] * 4
