from exporters.ratchet import Ratchet


def test_a_derived_count_never_steps_back_until_its_source_restarts() -> None:
    ratchet = Ratchet()
    seen = [ratchet.at_least(value, epoch) for value, epoch in [(10, 100), (8, 101), (12, 102), (3, 5), (4, 6)]]
    assert seen == [10, 10, 12, 3, 4]
