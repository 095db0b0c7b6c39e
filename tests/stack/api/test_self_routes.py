from __future__ import annotations

from pathlib import Path

import pytest

from stack.control.access import Role
from tests.grants import EVERYBODY, bearer
from tests.stack.api.deck import deck


@pytest.mark.parametrize("role", list(Role))
async def test_a_token_is_told_whom_it_stands_for(tmp_path: Path, role: Role) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        answer = await it.http.get("/v1/self", headers=bearer(role.value))
        assert (answer.status_code, answer.json()) == (200, {"name": role.value, "role": role.value, "tokens": True})


async def test_without_tokens_everybody_on_this_machine_is_an_admin(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        assert (await it.http.get("/v1/self")).json() == {"name": "anonymous", "role": "admin", "tokens": False}
        assert (await it.http.get("/v1/self", params={"who": "ann"})).status_code == 400
