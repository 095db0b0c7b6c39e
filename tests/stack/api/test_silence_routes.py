"""Silences are made and ended over the API, in every mode, by name and with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stack.api.alert_schema import SilenceView
from stack.control.mode import LIVE, Mode, Stance
from stack.control.silence import EVERY_ONE, Matcher, Silence, SilenceState
from stack.wiring.control_alerts import Watchers
from tests.grants import EVERYBODY, bearer
from tests.stack.api.alarms import FakeAlertmanager, alert
from tests.stack.api.deck import deck

HOTSPOT, SLOW = alert("KvdeckHotspot", model_name="m"), alert("KvdeckKvTransferSlow", model_name="m")
STANCES = [LIVE, Stance(Mode.OBSERVE), Stance(Mode.DECLARATIVE, "/etc/fleet.yaml")]


def _body(*matchers: dict[str, Any], comment: str = "known", seconds: float = 1800) -> dict[str, Any]:
    return {"matchers": matchers or [{"name": "alertname", "value": "KvdeckHotspot"}], "comment": comment, "seconds": seconds}


def _error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def _silence(silence_id: str, *matchers: Matcher, ours: bool = True, ends: float = 9.0) -> Silence:
    return Silence(
        id=silence_id, state=SilenceState.ACTIVE, matchers=matchers, by="eve", comment="so", starts=0.0, ends=ends, ours=ours
    )


@pytest.mark.parametrize("stance", STANCES)
async def test_an_operator_silences_and_ends_it_again_and_the_audit_log_says_who_and_why(tmp_path: Path, stance: Stance) -> None:
    manager = FakeAlertmanager([HOTSPOT, SLOW])
    async with deck(tmp_path, tokens=EVERYBODY, stance=stance, watching=Watchers(alertmanager=manager)) as it:
        it.http.headers.update(bearer("operator"))
        answer = await it.http.post("/v1/silences", json=_body())
        assert answer.status_code == 200, answer.text
        view = msgspec.json.decode(answer.content, type=SilenceView)
        made = _silence("silence-0", Matcher(name="alertname", value="KvdeckHotspot"))
        now = it.clock.wall()
        made = msgspec.structs.replace(made, by="operator", comment="known", starts=now, ends=now + 1800)
        assert (view.silence, [one.name for one in view.alerts], view.dry_run) == (made, ["KvdeckHotspot"], False)
        assert manager.kept == [made]
        assert (await it.http.get("/v1/silences")).json()["silences"][0]["by"] == "operator"
        assert (await it.http.delete("/v1/silences/silence-0", params={"comment": "over"})).status_code == 204
        assert manager.kept == []
        records = (await it.http.get("/v1/audit")).json()["records"]
        assert [(r["outcome"], r["actor"], r["comment"], r["effects"]) for r in reversed(records)][1:] == [
            ("silence", "operator", "known", ['silenced alertname="KvdeckHotspot" for 30 min: KvdeckHotspot fires']),
            ("silence", "operator", "over", ['ended the silence of alertname="KvdeckHotspot" that operator made']),
        ]


@pytest.mark.parametrize("stance", STANCES)
async def test_a_viewer_may_look_and_no_more(tmp_path: Path, stance: Stance) -> None:
    manager = FakeAlertmanager([HOTSPOT], [_silence("s", EVERY_ONE)])
    async with deck(tmp_path, tokens=EVERYBODY, stance=stance, watching=Watchers(alertmanager=manager)) as it:
        it.http.headers.update(bearer("viewer"))
        assert len((await it.http.get("/v1/silences")).json()["silences"]) == 1
        assert _error(await it.http.post("/v1/silences", json=_body())) == (403, "forbidden")
        assert _error(await it.http.delete("/v1/silences/s")) == (403, "forbidden")
        assert len(manager.kept) == 1


async def test_a_dry_run_tells_what_would_be_held_back_and_makes_none(tmp_path: Path) -> None:
    manager = FakeAlertmanager([HOTSPOT, SLOW, alert("DiskFull", model_name="m")])
    async with deck(tmp_path, watching=Watchers(alertmanager=manager)) as it:
        body = _body({"name": "model_name", "value": "m"})
        view = msgspec.json.decode(
            (await it.http.post("/v1/silences", json=body, params={"dry_run": "true"})).content, type=SilenceView
        )
        assert [one.name for one in view.alerts] == ["KvdeckHotspot", "KvdeckKvTransferSlow"]
        assert (view.dry_run, view.silence.id, view.silence.matchers) == (
            True,
            "",
            (Matcher(name="model_name", value="m"), EVERY_ONE),
        )
        assert manager.kept == []
        assert await it.outcomes() == ["started"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", (400, "invalid_json")),
        (b"\xff", (400, "invalid_json")),
        (b"[]", (422, "invalid_silence")),
        (b'{"matchers": [], "comment": "c", "seconds": 60}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a", "value": "b"}], "comment": "c", "seconds": 59}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a", "value": "b"}], "comment": "c", "seconds": 2592001}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a", "value": "b"}], "comment": "", "seconds": 60}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a", "value": "b"}], "comment": "  ", "seconds": 60}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a b", "value": "b"}], "comment": "c", "seconds": 60}', (422, "invalid_silence")),
        (b'{"matchers": [{"name": "a", "value": "b"}], "comment": "c", "seconds": 60, "by": "eve"}', (422, "invalid_silence")),
    ],
)
async def test_a_silence_that_is_none_is_refused(tmp_path: Path, body: bytes, error: tuple[int, str]) -> None:
    manager = FakeAlertmanager([HOTSPOT])
    async with deck(tmp_path, watching=Watchers(alertmanager=manager)) as it:
        assert _error(await it.http.post("/v1/silences", content=body)) == error
        assert _error(await it.http.post("/v1/silences", json=_body(), params={"dryrun": "true"})) == (400, "bad_parameter")
        assert manager.kept == []


async def test_what_alertmanager_says_no_to_is_told_and_what_it_may_have_done_is_in_the_audit_log(tmp_path: Path) -> None:
    manager = FakeAlertmanager([HOTSPOT], refuses="Alertmanager refuses it: no")
    async with deck(tmp_path, watching=Watchers(alertmanager=manager)) as it:
        assert _error(await it.http.post("/v1/silences", json=_body())) == (422, "invalid_silence")
        (record,) = (await it.http.get("/v1/audit", params={"limit": "1"})).json()["records"]
        assert (record["outcome"], record["error"]) == ("refused", "Alertmanager refuses it: no")
        manager.away = "Alertmanager does not answer: ConnectError"
        assert _error(await it.http.post("/v1/silences", json=_body())) == (503, "unreachable")
        assert _error(await it.http.get("/v1/silences")) == (503, "unreachable")


async def test_silences_of_others_are_left_to_them(tmp_path: Path) -> None:
    wide = _silence("wide", Matcher(name="namespace", value="llm"), ours=False, ends=5.0)
    theirs = _silence("theirs", Matcher(name="alertname", value="DiskFull"), ours=False)
    manager = FakeAlertmanager(kept=[_silence("own", EVERY_ONE), wide, theirs])
    async with deck(tmp_path, watching=Watchers(alertmanager=manager)) as it:
        listed = (await it.http.get("/v1/silences")).json()["silences"]
        assert [(one["id"], one["ours"]) for one in listed] == [("wide", False), ("own", True)]
        assert _error(await it.http.delete("/v1/silences/wide")) == (422, "not_ours")
        assert _error(await it.http.delete("/v1/silences/theirs")) == (404, "unknown_silence")
        assert len(manager.kept) == 3
