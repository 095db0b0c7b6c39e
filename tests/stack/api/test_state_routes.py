from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx
import msgspec
import pytest

from stack.api.permit import Permitted
from stack.control.access import Role
from stack.control.mode import Stance
from stack.control.state import SCHEMA, SESSION_KEYS, Desired
from stack.control.tiers import NO_STORE
from tests.stack.api.deck import deck
from tests.stack.control.samples import desired, model
from tests.stack.control.test_settable import patch, wrong


def _error(answer: httpx.Response) -> tuple[int, str, str | None]:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "field"}
    assert error["message"]
    return answer.status_code, error["code"], error["field"]


POOL: dict[str, object] = {
    "bounds": {"min": 0, "max": 1024},
    "drain_seconds": None,
    "strategy": None,
    "parameters": {},
    "protocol": None,
    "drained": [],
    "gpu_hour_price": None,
    "gpus_per_engine": 1,
}


async def test_the_state_shows_desired_against_applied(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        router.in_flight = {"decode-1": 2}
        await router.follow()
        it.clock.advance(0.4)
        answer = await it.http.get("/v1/state")
    assert answer.headers["etag"] == '"1"'
    state = answer.json()
    assert {field["reason"] for field in state.pop("fields")} == {None}
    assert state == {
        "generation": 1,
        "desired": {
            "models": {
                "smollm2": {
                    "strategy": "prefix_aware",
                    "fallback_strategy": "prefix_aware",
                    "session_keys": list(SESSION_KEYS),
                    "dpd": {"enabled": True, "routing_threshold": 512, "min_uncached_tokens": 0},
                    "pools": {
                        "prefill": {"replicas": 1} | POOL,
                        "decode": {"replicas": 2} | POOL,
                    },
                    "limits": {
                        "in_flight": None,
                        "in_flight_per_engine": None,
                        "queue": 0,
                        "queue_per_engine": None,
                        "queue_seconds": 30.0,
                    },
                    "shadow_share": 0.05,
                    "eject_stalled": False,
                }
            },
            "tiers": {"l1": {"bytes": None}, "l2": {"store": {"maxmemory_bytes": None, "eviction_policy": None}, "quotas": {}}},
        },
        "applied": {
            "routers": [
                {
                    "id": "router-0",
                    "generation": 1,
                    "age_seconds": 0.4,
                    "live": True,
                    "schema": SCHEMA,
                    "ignored": [],
                    "refused": None,
                }
            ],
            "store": msgspec.to_builtins(NO_STORE),
            "caches": [],
        },
        "engines": [
            {
                "name": name,
                "model": "smollm2",
                "pool": pool,
                "url": f"http://{name}",
                "state": "ready",
                "health": "ready",
                "in_flight": in_flight,
                "health_age_seconds": 0.5,
                "emulated": False,
                "detail": "",
                "drained": None,
            }
            for name, pool, in_flight in (("decode-0", "decode", 0), ("decode-1", "decode", 2), ("prefill-0", "prefill", 0))
        ],
        "pools": [],
        "drift": [],
        "comment_required": False,
        "experiments": {},
        "schema": SCHEMA,
        "mode": "live",
        "desired_file": None,
    }


async def test_a_change_is_answered_with_state_diff_and_effects(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.patch({"strategy": "kvaware"}, '"1"')
        body = answer.json()
        assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')
        assert (body["generation"], body["dry_run"], body["pending"]) == (2, False, [])
        assert body["desired"] == body["proposed"] == (await it.state())["desired"]
        assert body["diff"] == [{"field": "models.smollm2.strategy", "before": "prefix_aware", "after": "kv_aware"}]
        assert body["effects"][1] == {
            "kind": "switch_strategy",
            "sentence": "From the next request on the decode pool chooses by kv_aware (until now prefix_aware). "
            "Whether it begins warm is unknown: no router tells what is known of the engines' caches.",
            "model": "smollm2",
            "pool": "decode",
            "engines": [],
        }


async def test_a_mistyped_parameter_applies_nothing(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.patch({"strategy": "session"}, dryrun="true")
        assert _error(answer) == (400, "bad_parameter", "dryrun")
        assert (await it.http.get("/v1/state")).json()["generation"] == 1


async def test_what_is_read_takes_no_parameter_that_nobody_reads(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        asked = {}
        for route in it.control.app.routes:
            assert isinstance(route, Permitted)
            linked = route.path.startswith("/v1/routers/")  # a router may be a release newer than control
            if route.method == "GET" and route.needs is Role.VIEWER and not linked:
                answer = await it.http.get(re.sub("{[a-z]+}", "1", route.path), params={"limt": "5"})
                asked[route.path] = _error(answer)
        assert set(asked.values()) == {(400, "bad_parameter", "limt")}
        assert {"/v1/state", "/v1/audit", "/v1/generations/{generation}", "/v1/experiments", "/v1/decisions/stream"} <= set(asked)


async def test_a_body_that_says_it_is_too_long_is_not_waited_for(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        for said in ("262145", "9" * 5_000):
            answer = await it.http.patch("/v1/state", content=b"{}", headers={"If-Match": "1", "Content-Length": said})
            assert _error(answer) == (413, "too_large", None)


async def test_a_dry_run_says_the_same_and_applies_nothing(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        before = await it.state()
        dry = (await it.patch({"strategy": "session"}, dry_run="true")).json()
        assert await it.state() == before
        wet = (await it.patch({"strategy": "session"})).json()
    assert (dry["generation"], dry["dry_run"], dry["desired"]) == (1, True, before["desired"])
    assert (dry["proposed"], dry["diff"], dry["effects"]) == (wet["proposed"], wet["diff"], wet["effects"])


@pytest.mark.parametrize("header", [None, "", "*", '""'])
async def test_a_change_must_say_what_it_is_based_on(tmp_path: Path, header: str | None) -> None:
    async with deck(tmp_path) as it:
        headers = {} if header is None else {"If-Match": header}
        answer = await it.http.patch("/v1/state", json={"strategy": "session"}, headers=headers)
        assert _error(answer) == (428, "precondition_required", None)
        assert (await it.state())["generation"] == 1


@pytest.mark.parametrize("header", ["seven", "-1", "1.0", '"1", "2"', "9" * 30, "\u00b2"])
async def test_a_precondition_that_is_no_generation_is_said(tmp_path: Path, header: str) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.patch("/v1/state", json={}, headers=[(b"If-Match", header.encode())])
        assert _error(answer) == (400, "bad_precondition", None)


async def test_of_two_changes_based_on_one_state_one_wins(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answers = await asyncio.gather(*(it.patch({"dpd": {"routing_threshold": n}}, 1) for n in range(100, 110)))
        assert sorted(answer.status_code for answer in answers) == [200, *[409] * 9]
        state = await it.state()
        winner = next(answer for answer in answers if answer.status_code == 200).json()
        assert (state["generation"], state["desired"]) == (2, winner["desired"])
        assert _error(answers[-1])[:2] == (409, "stale")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        (b'{"strategy": NaN}', "invalid_json"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "too_large"),
        (b"[" * 100_000, "invalid_json"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "invalid_json"),
        (b'{"\\ud800": 1}', "invalid_json"),
        (b'"' + b"x" * (300 << 10) + b'"', "too_large"),
    ],
)
async def test_what_cannot_be_read_is_refused_and_harms_nothing(tmp_path: Path, body: bytes, code: str) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.patch("/v1/state", content=body, headers={"If-Match": "1"})
        assert _error(answer) == (413 if code == "too_large" else 400, code, None)
        assert (await it.state())["generation"] == 1


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"strategy": "fastest"}, "models.smollm2.strategy"),
        ({"strategy": "session", "dpd": {"routing_threshold": -1}}, "models.smollm2.dpd.routing_threshold"),
        ({"pools": {"decode": {"replicas": 0}}}, "models.smollm2.pools.decode.replicas"),
        ({"models": {"qwen": {}}}, "models.qwen"),
        ([1], None),
    ],
)
async def test_a_refusal_names_the_field_and_changes_nothing(tmp_path: Path, patch: object, field: str | None) -> None:
    async with deck(tmp_path) as it:
        before = await it.state()
        assert _error(await it.patch(patch)) == (422, "refused", field)
        assert await it.state() == before
        assert (await it.outcomes())[-1] == "refused"


@pytest.mark.parametrize(
    ("path", "method", "body", "name"),
    [
        ("/v1/state", "PATCH", b'{"strategy": "session", "strategy": "kv_aware"}', "strategy"),
        ("/v1/state", "PATCH", b'{"dpd": {"enabled": true, "en\\u0061bled": false}}', "enabled"),
        ("/v1/rollback", "POST", b'{"generation": 1, "generation": 2}', "generation"),
    ],
)
async def test_a_key_that_stands_twice_is_refused_by_name(tmp_path: Path, path: str, method: str, body: bytes, name: str) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.request(method, path, content=body, headers={"If-Match": "1"})
        assert _error(answer) == (400, "invalid_json", name)
        assert answer.json()["error"]["message"] == f"{name!r} stands twice in one object"
        assert (await it.state())["generation"] == 1


async def test_two_models_change_independently(tmp_path: Path) -> None:
    two = Desired(models={"smollm2": model(), "qwen": model(prefill=0, dpd=False)})
    async with deck(tmp_path, configured=two) as it:
        assert _error(await it.patch({"strategy": "session"})) == (422, "refused", "strategy")
        answer = await it.patch({"models": {"qwen": {"strategy": "session"}}})
        assert answer.status_code == 200
        models = answer.json()["desired"]["models"]
        assert {name: state["strategy"] for name, state in models.items()} == {"smollm2": "prefix_aware", "qwen": "session"}


async def test_a_change_waits_for_every_live_router(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        first, second = it.router("router-0"), it.router("router-1")
        await first.follow()
        await second.follow()
        answer = await it.patch({"strategy": "session"})
        assert (answer.status_code, answer.json()["pending"]) == (202, ["router-0", "router-1"])
        await first.follow()
        answer = await it.patch({"strategy": "session"}, 2)  # nothing new: still the same wait
        assert (answer.status_code, answer.json()["pending"]) == (202, ["router-1"])
        drift = [entry for entry in (await it.state())["drift"] if entry["field"] == "applied.routers.router-1"]
        assert [entry["reason"] for entry in drift] == ["applies generation 1, desired is 2"]


async def test_a_change_is_done_as_soon_as_the_routers_follow(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()

        async def follow() -> None:
            config = await router.fetch(wait=5)
            assert config is not None
            assert config.models["smollm2"].strategy == "session"
            await router.report()

        following = asyncio.create_task(follow())
        answer = await it.patch({"strategy": "session"})
        await following
        assert (answer.status_code, answer.json()["pending"]) == (200, [])
        assert answer.json()["applied"]["routers"][0]["generation"] == 2


async def test_a_router_that_died_holds_up_nobody_but_stays_visible(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        it.clock.advance(6)
        answer = await it.patch({"strategy": "session"})
        assert (answer.status_code, answer.json()["pending"]) == (200, [])
        state = await it.state()
        assert [(r["id"], r["generation"], r["age_seconds"], r["live"]) for r in state["applied"]["routers"]] == [
            ("router-0", 1, 6.0, False)
        ]
        reasons = {entry["field"]: entry["reason"] for entry in state["drift"]}
        assert reasons["applied.routers.router-0"] == "last heard of 6 s ago"
        assert reasons["applied.routers"] == "no router reports"
        assert {engine["health"] for engine in state["engines"]} == {"unknown"}
        assert {engine["in_flight"] for engine in state["engines"]} == {None}


async def test_where_no_router_is_alive_the_answer_says_that_nothing_goes_by_it(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        assert (await it.patch({"strategy": "session"})).json()["unheard"] is False
        it.clock.advance(6)
        assert (await it.patch({"strategy": "prefix_aware"}, dry_run="true")).json()["unheard"] is False
        assert (await it.patch({"strategy": "prefix_aware"})).json()["unheard"] is True


async def test_a_restart_keeps_what_was_answered(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.patch({"strategy": "session", "pools": {"decode": {"replicas": 3}}})
        before = await it.state()
    async with deck(tmp_path, configured=desired()) as it:
        after = await it.state()
        assert (after["generation"], after["desired"]) == (2, before["desired"])


async def test_a_client_that_hangs_up_leaves_disk_and_memory_agreed(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        asking = asyncio.create_task(it.patch({"strategy": "session"}))
        while it.control.board.generation != 2 and not asking.done():
            await asyncio.sleep(0)
            asking.cancel()
        kept = await it.store.load()  # the store does one thing after the other, so what was begun is done
        assert kept is not None
        assert (kept.generation, kept.desired) == (it.control.board.generation, it.control.board.desired)


async def test_a_change_that_cannot_be_kept_is_not_made(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        before = await it.state()
        async with deck(tmp_path) as other:  # a second control over the same folder takes the next generation
            await other.patch({"strategy": "session"})
        assert _error(await it.patch({"strategy": "round_robin"})) == (503, "not_kept", None)
        assert await it.state() == before


async def test_on_a_full_disk_what_is_in_force_stays_and_can_be_looked_at(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        pages = await it.store.file.do(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
        await it.store.file.do(lambda db: db.execute(f"PRAGMA max_page_count={pages}").fetchone())
        for generation in range(1, 100):  # until the pages that there are have been filled
            answer = await it.patch({"dpd": {"routing_threshold": generation}}, generation, comment="x" * 500)
            if answer.status_code != 200:
                break
        assert _error(answer) == (503, "not_kept", None)
        assert "full" in answer.json()["error"]["message"]
        assert (await it.state())["generation"] == generation
        assert (await it.http.get("/v1/generations")).json()["generations"][0]["generation"] == generation


async def test_the_audit_log_says_who_what_and_why(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        headers = [(b"If-Match", b"1"), (b"X-Kvdeck-Actor", "Zoë\x1b[2J".encode())]
        params = {"comment": "threshold too low"}
        await it.http.patch("/v1/state", json={"dpd": {"routing_threshold": 4096}}, headers=headers, params=params)
        record = (await it.http.get("/v1/audit", params={"limit": 1})).json()["records"][0]
    assert record == {
        "at": it.clock.wall(),
        "actor": "Zoë[2J",
        "outcome": "applied",
        "generation": 2,
        "remote": "127.0.0.1",
        "comment": "threshold too low",
        "request": '{"dpd":{"routing_threshold":4096}}',
        "diff": [{"field": "models.smollm2.dpd.routing_threshold", "before": 512, "after": 4096}],
        "effects": [
            "A prompt of at least 4096 tokens is computed on a prefill engine first (until now a prompt of at least 512 tokens)."
        ],
        "error": None,
        "field": None,
        "rolled_back_to": None,
        "forced": False,
        "sequence": 2,
    }


async def test_previews_are_not_audited_and_failures_are(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.patch({"strategy": "session"}, dry_run="true")
        await it.patch({"strategy": "fastest"}, dry_run="true")
        await it.patch({"strategy": "session"}, 9)
        await it.patch({"strategy": "fastest"})
        await it.http.patch("/v1/state", content=b"{", headers={"If-Match": "1"})
        assert await it.outcomes() == ["started", "stale", "refused", "invalid"]


@pytest.mark.parametrize(
    ("method", "path", "error"),
    [
        ("GET", "/v1/audit?limit=0", (400, "bad_parameter", "limit")),
        ("GET", "/v1/audit?limit=nan", (400, "bad_parameter", "limit")),
        ("GET", "/v1/decisions?limit=99999", (400, "bad_parameter", "limit")),
        ("PATCH", "/v1/state?dry_run=perhaps", (400, "bad_parameter", "dry_run")),
        ("GET", "/v1/nothing", (404, "not_found", None)),
        ("DELETE", "/v1/state", (405, "method_not_allowed", None)),
    ],
)
async def test_every_error_has_one_shape(tmp_path: Path, method: str, path: str, error: tuple[int, str, str | None]) -> None:
    async with deck(tmp_path) as it:
        assert _error(await it.http.request(method, path, content=b"{}", headers={"If-Match": "1"})) == error


async def test_health_gives_the_generation(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        assert (await it.http.get("/health")).json() == {"status": "ok", "generation": 1}


async def test_where_a_change_must_say_why_one_that_does_not_is_refused_and_a_dry_run_needs_no_reason(tmp_path: Path) -> None:
    async with deck(tmp_path, stance=Stance(comment_required=True)) as it:
        assert (await it.state())["comment_required"]
        assert (await it.patch({"strategy": "session"}, dry_run="true")).status_code == 200
        refused = await it.patch({"strategy": "session"})
        assert (refused.status_code, refused.json()["error"]["field"], it.control.board.generation) == (422, "comment", 1)
        assert (await it.patch({"strategy": "session"}, comment="quiet hours")).status_code == 200


async def test_every_refusal_names_the_field_leaves_the_generation_alone_and_a_dry_run_says_the_same(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        kept = msgspec.json.encode(it.control.board.desired)
        wrongs = [patch(field.path, value) for field, value in [*wrong()][::9]]  # all of them are decided in test_settable
        wrongs += [{"strategy": "fastest"}, {"pools": {"decode": {"bounds": {"max": 1}}}}, {"pools": {"decode": {"replicas": 0}}}]
        for document in wrongs:
            dry, real = await it.patch(document, dry_run="true"), await it.patch(document)
            assert (real.status_code, real.json()) == (422, dry.json())
            assert real.json()["error"]["field"]
        assert (it.control.board.generation, msgspec.json.encode(it.control.board.desired)) == (1, kept)
        assert (await it.outcomes())[1:] == ["refused"] * min(99, len(wrongs))
