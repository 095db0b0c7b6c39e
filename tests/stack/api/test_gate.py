"""Where control's mode takes no changes, none is made on any route, by anybody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stack.api.permit import WRITERS, Permitted
from stack.control.access import Role
from stack.control.machinery import Phase
from stack.control.mode import Mode, Stance
from tests.grants import EVERYBODY, bearer
from tests.stack.api.deck import deck, running

CLOSED = [Stance(Mode.OBSERVE), Stance(Mode.DECLARATIVE, "/etc/fleet.yaml")]


@pytest.mark.parametrize("stance", CLOSED)
@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMIN])
async def test_every_route_that_changes_something_is_refused(tmp_path: Path, stance: Stance, role: Role) -> None:
    async with deck(tmp_path, tokens=EVERYBODY, stance=stance) as it:
        it.http.headers.update(bearer(role.value))
        before = await it.state()
        assert (before["mode"], before["desired_file"]) == (stance.mode, stance.file)
        writing = [
            route for route in it.control.app.routes if isinstance(route, Permitted) and route.needs in WRITERS and route.steers
        ]
        refused = []
        for route in writing:
            if not role.may(route.needs or Role.ADMIN):
                continue
            path = re.sub("{[a-z]+}", "x", route.path)
            answer = await it.http.request(route.method, path, json={"strategy": "session"}, headers={"If-Match": "1"})
            error = answer.json()["error"]
            assert (answer.status_code, error["code"], error["message"]) == (403, "mode", stance.refusal), path
            refused.append(f"{route.method} {path}")
        assert {"PATCH /v1/state", "POST /v1/rollback"} <= set(refused)
        assert await it.state() == before
        records = (await it.http.get("/v1/audit")).json()["records"]
        noted = [(r["outcome"], r["actor"], r["request"], r["error"], r["generation"]) for r in reversed(records)]
        assert noted[1:] == [("refused", role, request, stance.refusal, 1) for request in refused]
        text = (await it.http.get("/metrics")).text
        assert f'kvdeck_control_refused_requests_total{{reason="mode"}} {len(refused)}.0' in text
        assert 'kvdeck_control_refused_requests_total{reason="forbidden"} 0.0' in text
        assert f'kvdeck_control_mode{{mode="{stance.mode}"}} 1.0' in text


async def test_who_may_not_is_noted_once_a_second_for_each_route_and_else_counted(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        for name in ("viewer", "viewer", "router"):
            it.http.headers.update(bearer(name))
            assert (await it.patch({"strategy": "session"})).status_code == 403
        assert (await it.rollback(1)).status_code == 403
        it.clock.advance(1)
        assert (await it.patch({"strategy": "session"})).status_code == 403
        it.http.headers.update(bearer("nobody"))
        assert (await it.patch({"strategy": "session"})).status_code == 401
        it.http.headers.update(bearer("viewer"))
        records = (await it.http.get("/v1/audit")).json()["records"]
        assert [(r["outcome"], r["actor"], r["request"]) for r in reversed(records)][1:] == [
            ("refused", "viewer", "PATCH /v1/state"),
            ("refused", "router", "PATCH /v1/state"),
            ("refused", "router", "POST /v1/rollback"),
            ("refused", "router", "PATCH /v1/state"),
        ]
        assert records[0]["error"] == "router is a router; this takes the role operator"
        text = (await it.http.get("/metrics")).text
        assert 'kvdeck_control_refused_requests_total{reason="forbidden"} 5.0' in text
        assert 'kvdeck_control_refused_requests_total{reason="unauthorized"} 1.0' in text


def test_whoever_changes_something_needs_a_role_that_the_gate_knows() -> None:
    assert {role for role in Role if role not in (Role.VIEWER, Role.ROUTER)} == WRITERS


@pytest.mark.parametrize("stance", CLOSED)
async def test_previews_are_for_everybody_who_may_change(tmp_path: Path, stance: Stance) -> None:
    async with deck(tmp_path, stance=stance) as it:
        dry = await it.patch({"strategy": "session"}, dry_run="true")
        assert (dry.status_code, dry.json()["mode"], len(dry.json()["diff"])) == (200, stance.mode, 1)
        assert (await it.rollback(1, dry_run="true")).status_code == 200
        assert (await it.patch({"strategy": "session"}, dry_run="perhaps")).status_code == 400
        assert (await it.outcomes(), it.control.board.generation) == (["started"], 1)


async def test_a_role_that_does_not_suffice_is_told_before_the_mode(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY, stance=Stance(Mode.OBSERVE)) as it:
        answer = await it.http.patch("/v1/state", headers=bearer("viewer"))
        assert answer.json()["error"]["code"] == "forbidden"


async def test_who_only_observes_leaves_the_engines_alone(tmp_path: Path) -> None:
    fleet = running("prefill-0", "prefill-1", "decode-0")  # one too many, and one too few
    async with deck(tmp_path, fleet, stance=Stance(Mode.OBSERVE)) as it:
        router = it.router()
        await router.follow()
        for _ in range(100):
            await it.tick(5)
            await router.follow()
        assert fleet.engines == dict.fromkeys(("prefill-0", "prefill-1", "decode-0"), Phase.RUNNING)
        assert (router.config is not None and router.config.draining, fleet.removed) == ((), [])
        reasons = {entry["field"]: entry["reason"] for entry in (await it.state())["drift"]}
        assert reasons["models.smollm2.pools.decode.replicas"] == "1 of 2 ready"
        assert await it.outcomes() == ["started"]
