from __future__ import annotations

import msgspec
import pytest

from stack.control.access import Grant, Grants, Role, digest, granted
from stack.control.reporting_path import PREFIX, reporter, reporting_path
from tests.grants import ALL, grant


def test_every_role_includes_what_it_should() -> None:
    assert {role: {needed for needed in Role if role.may(needed)} for role in Role} == {
        Role.VIEWER: {Role.VIEWER},
        Role.OPERATOR: {Role.VIEWER, Role.OPERATOR},
        Role.ADMIN: set(Role),
        Role.ROUTER: {Role.VIEWER, Role.ROUTER},
    }


@pytest.mark.parametrize("header", ["Bearer operator", "bearer operator", "BEARER  operator "])
def test_a_token_is_known_by_its_hash(header: str) -> None:
    assert granted(ALL, header) == grant("operator", Role.OPERATOR)


@pytest.mark.parametrize(
    "header",
    [None, "", "operator", "Bearer", "Bearer ", "Bearer Operator", "Basic operator", f"Bearer {digest('operator')}", "Bearer ü"],
)
def test_everything_else_is_nobody(header: str | None) -> None:
    assert granted(ALL, header) is None


def test_an_empty_secret_is_nobodys_even_where_one_was_hashed() -> None:
    assert granted((), "Bearer ") is None


@pytest.mark.parametrize(
    "fault", [{"name": "a b"}, {"name": ""}, {"role": "root"}, {"sha256": "00"}, {"sha256": "Z" * 64}, {"more": 1}]
)
def test_a_grant_that_is_none_is_refused(fault: dict[str, object]) -> None:
    sound = {"name": "ann", "role": "viewer", "sha256": "0" * 64}
    assert msgspec.convert({"tokens": [sound]}, Grants).tokens == (Grant(name="ann", role=Role.VIEWER, sha256="0" * 64),)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"tokens": [sound | fault]}, Grants)


def test_a_reporting_path_has_a_routers_secret_and_opens_nothing_else() -> None:
    path = reporting_path("router")
    assert reporter(f"{path}/instances/a", ALL) == (grant("router", Role.ROUTER), f"{PREFIX}/instances/a")
    assert "router" not in path.removeprefix(PREFIX)
    nobodys = [reporting_path("admin"), PREFIX, f"{PREFIX}/", f"{PREFIX}/events", "/v1/state", path.replace(PREFIX, "/v1/state")]
    assert [reporter(each, ALL) for each in nobodys] == [None] * len(nobodys)
    assert reporting_path(None) == PREFIX
