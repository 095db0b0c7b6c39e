from exporters.ledger import Ledger
from stack.model.tier import Source


def ledger() -> Ledger:
    waiting = Ledger()
    waiting.add(1.0, {Source.L2: 10.0, Source.L1: 5.0})
    waiting.add(2.0, {Source.PEER: 7.0, Source.L1: 0.0})
    return waiting


def test_the_oldest_is_claimed_first_and_within_an_entry_in_the_given_order() -> None:
    waiting = ledger()
    assert waiting.take_oldest(12.0) == {Source.L2: 10.0, Source.L1: 2.0}
    assert waiting.take_oldest(100.0) == {Source.L1: 3.0, Source.PEER: 7.0}
    assert waiting.take_oldest(1.0) == {}


def test_the_newest_is_claimed_first_when_asked_so() -> None:
    assert ledger().take_newest(8.0) == {Source.PEER: 7.0, Source.L2: 1.0}


def test_what_is_too_old_is_gone() -> None:
    waiting = ledger()
    waiting.expire(before=2.0)
    assert waiting.take_oldest(100.0) == {Source.PEER: 7.0}


def test_nothing_and_less_than_nothing_is_not_put_down() -> None:
    waiting = Ledger()
    waiting.add(1.0, {Source.L1: 0.0, Source.L2: -3.0})
    assert waiting.take_oldest(5.0) == {}
