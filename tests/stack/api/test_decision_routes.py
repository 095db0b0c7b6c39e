"""What is asked about decisions over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from stack.api.decision_stream import READERS_MOST
from stack.control.ports import LogState
from tests.decisions import decision
from tests.stack.api.deck import deck


async def test_one_decision_is_read_by_its_id(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.router().report(decision(request_id="a/b"))
        answer = await it.http.get("/v1/decisions/a%2Fb")
        plain = await it.http.get("/v1/decisions/a-b")
    assert answer.status_code == 404  # a slash is no part of an id: routers make another one then
    assert plain.json()["error"] == {
        "code": "not_found",
        "message": "no decision 'a-b' is kept: the last 1 are, back to 2023-11-14 22:13:20 UTC",
        "field": "id",
    }


async def test_before_the_first_request_no_decision_is_there(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.get("/v1/decisions/r1")
        assert "none has come since control began" in answer.json()["error"]["message"]
        await it.router().report(decision(request_id="r1", compared="181 < 512"))
        assert (await it.http.get("/v1/decisions/r1")).json()["compared"] == "181 < 512"


async def test_it_is_told_how_far_back_decisions_are_kept(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        nothing = (await it.http.get("/v1/decisions")).json()
        await it.router().report(decision(at=7.0), decision(at=9.0))
        filtered = (await it.http.get("/v1/decisions?since=8")).json()
    assert (nothing["kept"], nothing["oldest_at"]) == (0, None)
    assert (filtered["kept"], filtered["oldest_at"], len(filtered["decisions"])) == (2, 7.0, 1)


async def test_a_mistyped_filter_is_refused(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answers = [
            await it.http.get(path)
            for path in ("/v1/decisions?strategie=x", "/v1/decisions/stream?limit=1", "/v1/decisions?since=x")
        ]
    assert [answer.status_code for answer in answers] == [400, 400, 400]


async def test_only_so_many_may_follow(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        it.control.feed.readers = READERS_MOST
        answer = await it.http.get("/v1/decisions/stream")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "too_many_readers")


class Full:
    """A disk with no room left."""

    def __init__(self) -> None:
        self.offered: list[bytes] = []

    def offer(self, documents: Sequence[bytes]) -> None:
        self.offered += documents

    def state(self) -> LogState:
        return LogState(folder="/decisions", format="jsonl", written=0, lost=len(self.offered), error="No space left on device")


async def test_files_get_every_decision_and_their_trouble_is_told(tmp_path: Path) -> None:
    full = Full()
    async with deck(tmp_path, files=full) as it:
        await it.router().report(decision(request_id="a"), decision(request_id="b"))
        told = (await it.http.get("/v1/decisions?limit=1")).json()["files"]
        metrics = (await it.http.get("/metrics")).text
    assert [msgspec.json.decode(document)["request_id"] for document in full.offered] == ["a", "b"]
    assert (told["lost"], told["error"]) == (2, "No space left on device")
    assert 'kvdeck_control_kept_decisions_total{state="lost"} 2.0' in metrics
