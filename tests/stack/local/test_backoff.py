from stack.local.backoff import Backoff


def test_the_wait_doubles_up_to_its_limit() -> None:
    backoff = Backoff()
    assert [backoff.failed(0) for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    assert backoff.failures == 7


def test_a_minute_of_service_makes_the_next_failure_the_first_again() -> None:
    backoff = Backoff(failures=5)
    assert backoff.failed(61) == 1
    assert backoff.failures == 1


def test_a_person_who_starts_it_begins_anew() -> None:
    backoff = Backoff(failures=5)
    backoff.forget()
    assert backoff.failed(0) == 1
