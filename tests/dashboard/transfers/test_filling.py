"""How long until something is full is told where it rises beyond its own ups and downs, and unknown where it may not."""

from __future__ import annotations

from dashboard.transfers.filling import filling


def course(*amounts: float) -> list[tuple[float, float]]:
    return [(1_000.0 + 5.0 * number, amount) for number, amount in enumerate(amounts)]


def test_what_rises_steadily_is_full_after_the_rest_of_the_way() -> None:
    told = filling(course(*(0.1 + 0.005 * number + (0.002 if number % 3 else -0.004) for number in range(120))))
    assert told.value == "5 min"  # 0.3 of it is left, at 0.001 a second
    assert told.why == "If it goes on rising by 6 % of it a minute, as over this range."


def test_what_falls_or_stands_does_not_fill() -> None:
    assert filling(course(*(0.9 - 0.005 * number for number in range(120)))).value == "not filling"
    assert filling(course(*(0.2 + 0.001 * (number % 2) for number in range(120)))).why == "It hardly changed over this range."


def test_what_is_full_is_said_to_be() -> None:
    assert filling(course(0.5, 1.0)).value == "full"


def test_too_little_tells_nothing() -> None:
    assert filling([]).why == "Nobody tells how full it is."
    told = filling(course(0.1, 0.5, 0.3))
    assert (told.value, told.why) == (
        "unknown",
        "Whether it fills cannot be told: too few samples: 3 of at least 30.",
    )
