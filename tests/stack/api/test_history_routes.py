"""What was, and the way back to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import httpx
import msgspec
import pytest

from stack.adapters.audit_store import FILE
from stack.api import tables
from stack.api.desired_file import read_desired
from stack.api.history_schema import GenerationsView, KeptView
from stack.api.schema import ChangeView
from stack.control.diff import Change
from stack.control.state import SCHEMA
from tests.stack.api.deck import Deck, deck


def _error(answer: httpx.Response) -> tuple[int, str, str | None]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["field"]


async def _history(it: Deck, **params: str) -> GenerationsView:
    answer = await it.http.get("/v1/generations", params=params)
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=GenerationsView)


async def test_every_generation_is_listed_with_the_change_that_brought_it(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.patch({"strategy": "session"}, comment="try it")
        await it.patch({"strategy": "fastest"})  # refused: a record of the same generation that brought nothing
        await it.patch({"dpd": {"routing_threshold": 64}})
    async with deck(tmp_path) as it:
        kept = (await _history(it)).generations
        assert [(g.generation, g.record and g.record.outcome, g.record and g.record.comment) for g in kept] == [
            (3, "applied", None),
            (2, "applied", "try it"),
            (1, "started", None),
        ]
        assert kept[1].record is not None
        assert kept[1].record.diff == (Change(field="models.smollm2.strategy", before="prefix_aware", after="session"),)
        assert [g.generation for g in (await _history(it, limit="1", before="3")).generations] == [2]


async def test_the_log_is_read_backwards_in_parts(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        for threshold in range(5):
            await it.patch({"dpd": {"routing_threshold": threshold}})
        parts = []
        before: dict[str, str] = {}
        while records := (await it.http.get("/v1/audit", params={"limit": "2"} | before)).json()["records"]:
            parts.append([record["sequence"] for record in records])
            before = {"before": str(records[-1]["sequence"])}
        assert parts == [[6, 5], [4, 3], [2, 1]]


async def test_one_generation_is_told_whole(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        before = await it.state()
        await it.patch({"strategy": "session"})
        one = msgspec.json.decode((await it.http.get("/v1/generations/1")).content, type=KeptView)
        assert (one.generation, one.at, one.schema, one.desired) == (1, it.clock.wall(), SCHEMA, before["desired"])
        assert _error(await it.http.get("/v1/generations/9")) == (404, "unknown_generation", "generation")
        assert _error(await it.http.get("/v1/generations/none")) == (400, "bad_parameter", "generation")
        assert _error(await it.http.get("/v1/generations", params={"before": "x"})) == (400, "bad_parameter", "before")


async def test_what_is_told_of_a_generation_is_a_file_that_control_takes(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.patch({"strategy": "session", "pools": {"decode": {"parameters": {"session": {"load_factor": 3.0}}}}})
        answer = await it.http.get("/v1/generations/2")
        told = "".join(str(part) for part in tables.generation(msgspec.json.decode(answer.content, type=KeptView)))
        for text in (answer.text, told[told.index("schema:") :]):
            file = tmp_path / "desired.yaml"
            file.write_text(text)
            assert read_desired(file) == it.control.board.desired


async def test_rolling_back_is_a_change_that_names_where_it_goes_back_to(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().follow()
        first = (await it.state())["desired"]
        await it.patch({"strategy": "session", "pools": {"decode": {"replicas": 1}}})
        await it.patch({"dpd": {"routing_threshold": 64}})
        dry = msgspec.json.decode((await it.rollback(1, dry_run="true")).content, type=ChangeView)
        assert (dry.generation, it.control.board.generation) == (3, 3)
        answer = await it.rollback(1, comment="worse")
        wet = msgspec.json.decode(answer.content, type=ChangeView)
        assert (answer.status_code, answer.headers["etag"], wet.generation) == (202, '"4"', 4)
        assert (wet.proposed, wet.diff, wet.effects) == (dry.proposed, dry.diff, dry.effects)
        assert [change.field for change in wet.diff] == [
            "models.smollm2.dpd.routing_threshold",
            "models.smollm2.pools.decode.replicas",
            "models.smollm2.strategy",
        ]
        assert (await it.state())["desired"] == first
        (record,) = (await it.http.get("/v1/audit", params={"limit": "1"})).json()["records"]
        assert (record["outcome"], record["generation"], record["rolled_back_to"]) == ("applied", 4, 1)
        assert (record["comment"], record["request"]) == ("worse", '{"generation":1}')


async def test_back_to_what_is_in_force_is_no_change(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.rollback(1)
        assert (answer.status_code, answer.json()["diff"], answer.json()["generation"]) == (200, [], 1)


@pytest.mark.parametrize(
    ("body", "based_on", "error", "outcome"),
    [
        (b'{"generation": 7}', "1", (404, "unknown_generation", "generation"), "invalid"),
        (b'{"generation": -1}', "1", (404, "unknown_generation", "generation"), "invalid"),
        (b'{"generation": 1e99}', "1", (400, "invalid_json", None), "invalid"),
        (b'{"generation": 99999999999999999999}', "1", (404, "unknown_generation", "generation"), "invalid"),
        (b'{"generation": "1"}', "1", (400, "invalid_json", None), "invalid"),
        (b'{"generation": 1, "force": 1}', "1", (400, "invalid_json", None), "invalid"),
        (b"\xff", "1", (400, "invalid_json", None), "invalid"),
        (b'{"generation": 1}', "9", (409, "stale", None), "stale"),
        (b'{"generation": 1}', "", (428, "precondition_required", None), "invalid"),
    ],
)
async def test_a_way_back_that_is_none_changes_nothing(
    tmp_path: Path, body: bytes, based_on: str, error: tuple[int, str, str | None], outcome: str
) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.post("/v1/rollback", content=body, headers={"If-Match": based_on})
        assert _error(answer) == error
        assert (it.control.board.generation, await it.outcomes()) == (1, ["started", outcome])


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ('{"models": {"smollm2": {"warp": 9}}}', "models.smollm2.warp"),
        ('{"models": {"smollm2": {"strategy": "of_yore", "dpd": {"enabled": false}}}}', "models.smollm2.strategy"),
        (
            '{"models": {"smollm2": {"pools": {"decode": {"replicas": 0}}, "dpd": {"enabled": false}}}}',
            "models.smollm2.pools.decode.replicas",
        ),
        ('{"models": {"qwen": {}}}', "models"),
    ],
)
async def test_a_document_of_then_that_is_refused_today_names_its_field(tmp_path: Path, document: str, field: str) -> None:
    async with deck(tmp_path):
        pass
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("INSERT INTO state VALUES (0, 0.0, ?)", (document,))
    db.commit()
    db.close()
    async with deck(tmp_path) as it:
        assert _error(await it.rollback(0)) == (422, "refused", field)
        assert it.control.board.generation == 1
        assert (await _history(it)).generations[-1].record is None


async def test_history_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        db = sqlite3.connect(tmp_path / FILE)
        db.executescript("DROP TABLE audit; DROP TABLE state")
        db.close()
        for path in ("/v1/audit", "/v1/generations", "/v1/generations/1"):
            assert _error(await it.http.get(path)) == (503, "not_readable", None)
        assert _error(await it.rollback(1)) == (503, "not_readable", None)
