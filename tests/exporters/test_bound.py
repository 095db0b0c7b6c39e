from exporters.bound import Bound


def test_a_hundred_thousand_values_make_1001() -> None:
    bound = Bound()
    told = {bound(f"model-{number}") for number in range(100_000)}
    assert len(told) == 1001
    assert "other" in told


def test_what_passed_once_passes_always() -> None:
    bound = Bound(1)
    assert [bound("a"), bound("b"), bound("a")] == ["a", "other", "a"]
