from __future__ import annotations

from dashboard.entrance.sessions import CLOSED_AFTER_SECONDS, IDLE_SECONDS, MOST_SECONDS, Sessions
from stack.api.experiment_client import ExperimentClient
from stack.api.self_schema import SelfView
from stack.control.access import Role

ANN = SelfView(name="ann", role=Role.OPERATOR, tokens=True)
BOB = SelfView(name="bob", role=Role.VIEWER, tokens=True)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _client() -> ExperimentClient:
    return ExperimentClient("http://127.0.0.1:9", token="s3cret")


def test_each_cookie_is_one_persons() -> None:
    sessions = Sessions(Clock())
    ann, bob = sessions.begin(_client(), ANN), sessions.begin(_client(), BOB)
    assert ann != bob
    assert len(ann) >= 43  # 256 bits
    found = [sessions.find(ann), sessions.find(bob), sessions.find(ann)]
    assert [one and one.person for one in found] == [ANN, BOB, ANN]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].client is not found[1].client
    assert [sessions.find(key) for key in (None, "", "other", ann + "x")] == [None] * 4


def test_a_sign_out_ends_one_of_them() -> None:
    sessions = Sessions(Clock())
    ann, bob = sessions.begin(_client(), ANN), sessions.begin(_client(), BOB)
    sessions.end(ann)
    sessions.end(None)
    assert sessions.find(ann) is None
    assert sessions.find(bob) is not None


def test_who_is_away_for_too_long_is_signed_out_and_looking_alone_keeps_nobody_in() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    ann, bob = sessions.begin(_client(), ANN), sessions.begin(_client(), BOB)
    clock.now = IDLE_SECONDS
    assert sessions.find(ann) is not None
    assert sessions.find(bob, asked=False) is not None
    clock.now += 1
    assert sessions.find(ann) is not None
    assert sessions.find(bob) is None


def test_an_open_page_is_signed_out_after_a_week() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    ann = sessions.begin(_client(), ANN)
    while clock.now < MOST_SECONDS:
        clock.now += IDLE_SECONDS
        assert (sessions.find(ann) is not None) == (clock.now <= MOST_SECONDS)
    clock.now += 1
    assert sessions.find(ann) is None


def test_a_client_is_closed_once_nobody_can_be_asking_with_it() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    ann = sessions.begin(_client(), ANN)
    signed = sessions.find(ann)
    assert signed is not None
    sessions.end(ann)
    assert not signed.client._http.is_closed
    clock.now = CLOSED_AFTER_SECONDS + 1
    sessions.find("other")
    assert signed.client._http.is_closed


def test_a_token_is_not_shown() -> None:
    signed = (sessions := Sessions(Clock())).find(sessions.begin(_client(), ANN))
    assert "s3cret" not in repr(signed)
    assert "client" not in repr(signed)
    sessions.close()
