from __future__ import annotations

from stack.api.backoff import Failure, failed


def test_the_pause_doubles_up_to_half_a_minute() -> None:
    failure: Failure | None = None
    pauses = []
    for _ in range(7):
        failure = failed(failure, "no", 100.0)
        pauses.append(failure.not_before - 100.0)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    assert failure == Failure("no", 7, 130.0)
