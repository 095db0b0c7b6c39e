"""`kvdeck ctl` against a control that answers as the test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import msgspec
import pytest
from click.testing import CliRunner, Result

from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer
from stack.api.schema import Applied, AuditView, ChangeView, DecisionsView, ErrorDetail, ErrorView, StateView
from stack.cli.ctl import command
from stack.config import Layout
from stack.control.audit import AuditRecord, Outcome
from stack.control.decision import Candidate, DecisionRecord, Selection, ShadowChoice
from stack.control.diff import Change
from stack.local.link_server import listening
from stack.wiring.ctl import control_url
from tests.decisions import decision
from tests.stack.control.samples import desired

STATE = StateView(generation=7, desired=desired(), applied=Applied())
CHANGED = ChangeView(
    generation=8,
    desired=desired(),
    applied=Applied(),
    dry_run=False,
    proposed=desired(),
    diff=(Change(field="models.smollm2.strategy", before="prefix_aware", after="session"),),
)
RECORD = AuditRecord(at=0.0, actor="ops", outcome=Outcome.APPLIED, generation=8, diff=CHANGED.diff, comment="because")

RECORDED = decision(
    request_id="r-1",
    compared="181 < 512",
    decode=Selection(
        strategy="kv_aware",
        engine="decode-1",
        reason="less_work",
        ranked_by="work",
        expected_cached_tokens=176,
        predicted_ttft_seconds=0.04,
        candidates=(
            Candidate(engine="decode-1", in_flight=1, cached_tokens=176, scores={"work": 261.0, "queue": 256.0}),
            Candidate(engine="decode-0", in_flight=9, cached_tokens=0),
        ),
        omitted=7,
    ),
    engine="decode-0",
    fallbacks=("decode_retried",),
    cached_tokens=0,
    ttft_seconds=0.25,
    phases={"router": 0.001, "prefill": 0.249},
    regret_tokens=16,
    engine_ttft_seconds=0.25,
    shadows=(
        ShadowChoice(
            strategy="session", engine="decode-0", reason="session_home", agrees=False, gained_tokens=-8, gained_seconds=-0.125
        ),
        ShadowChoice(strategy="round_robin", engine="decode-1", reason="turn", agrees=True, gained_tokens=0, gained_seconds=0.0),
    ),
)
EVENTS = (
    b": still here\n\n",
    b'event: missed\ndata: {"decisions":3}\n\n',
    b"id: a-1\ndata: " + msgspec.json.encode(RECORDED) + b"\n\n",
    b"event: too_slow\ndata: {}\n\n",
)


class Control(ThreadingHTTPServer):
    """Answers GETs by path, and every PATCH with `status` and `body`; keeps the patches it got."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.body = status, body
        self.asked = ""
        self.patches: list[tuple[str, str | None, object]] = []
        self.reads = {
            "/v1/state": STATE,
            "/v1/audit": AuditView(records=(RECORD,)),
            "/v1/decisions": DecisionsView(decisions=(), dropped=3),
            "/v1/decisions/r-1": RECORDED,
        }


class _Handler(BaseHTTPRequestHandler):
    server: Control

    def do_GET(self) -> None:
        path, _, self.server.asked = self.path.partition("?")
        if path == "/v1/decisions/stream":
            self._stream(b"".join(EVENTS))
        else:
            self._answer(200, self.server.reads[path])

    def _stream(self, events: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(events)

    def do_PATCH(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.patches.append((self.path, self.headers["If-Match"], json.loads(sent)))
        self._answer(self.server.status, self.server.body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests need no access log."""

    def _answer(self, status: int, view: object) -> None:
        body = msgspec.json.encode(view)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def _control(status: int = 200, body: object = CHANGED) -> Iterator[Control]:
    with Control(status, body) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def _run(server: Control, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--url", f"http://127.0.0.1:{server.server_port}"])


def _error(code: str) -> ErrorView:
    return ErrorView(error=ErrorDetail(code=code, message=f"it is {code}", field="models.smollm2.strategy"))


def test_set_reads_the_state_and_changes_it_at_its_generation() -> None:
    with _control() as server:
        done = _run(server, "set", "strategy=session", "pools.decode.replicas=3", "--comment", "load")
    assert done.exit_code == 0
    assert server.patches == [("/v1/state?comment=load", '"7"', {"strategy": "session", "pools": {"decode": {"replicas": 3}}})]
    assert "generation 8 is in force and acknowledged by every live router" in done.output


def test_diff_with_assignments_is_a_dry_run() -> None:
    with _control(body=msgspec.structs.replace(CHANGED, dry_run=True)) as server:
        done = _run(server, "diff", "strategy=session", "--model", "smollm2")
    assert done.exit_code == 0
    assert server.patches == [("/v1/state?dry_run=true", '"7"', {"models": {"smollm2": {"strategy": "session"}}})]
    assert "dry run: nothing was applied" in done.output


@pytest.mark.parametrize(
    ("status", "body", "exit_code", "said"),
    [
        (202, msgspec.structs.replace(CHANGED, pending=("router-1",)), 3, "not yet acknowledged by router-1"),
        (422, _error("refused"), 4, "models.smollm2.strategy: it is refused"),
        (401, _error("unauthorized"), 4, "--token-file FILE, made by `kvdeck token new`"),
        (403, _error("forbidden"), 4, "it is forbidden"),
        (409, _error("stale"), 5, "it is stale"),
        (200, "hello", 6, "is not control"),
    ],
)
def test_the_exit_code_says_how_it_went(status: int, body: object, exit_code: int, said: str) -> None:
    with _control(status, body) as server:
        done = _run(server, "set", "strategy=session")
    assert (done.exit_code, said in done.output) == (exit_code, True)


def test_nobody_there_is_exit_code_6() -> None:
    done = CliRunner().invoke(command, ["get", "--url", "http://127.0.0.1:9"])
    assert (done.exit_code, "control does not answer at http://127.0.0.1:9" in done.output) == (6, True)


@pytest.mark.parametrize("words", [["set"], ["set", "strategy"], ["set", "a=1", "a=2"], ["get", "--token-file", "/nowhere"]])
def test_what_makes_no_sense_is_exit_code_2(words: list[str]) -> None:
    with _control() as server:
        assert _run(server, *words).exit_code == 2
        assert server.patches == []


def test_json_is_controls_own_answer() -> None:
    with _control() as server:
        assert msgspec.json.decode(_run(server, "get", "--json").output, type=StateView) == STATE
        assert msgspec.json.decode(_run(server, "set", "strategy=session", "--json").output, type=ChangeView) == CHANGED


def test_history_and_decisions_are_tables() -> None:
    with _control() as server:
        history = _run(server, "history").output
        assert "models.smollm2.strategy: prefix_aware -> session" in history
        assert "because" in history
        assert "3 decisions never arrived here" in _run(server, "decisions").output
        assert "applied is as desired" in _run(server, "diff").output


async def test_control_is_where_this_checkouts_stack_has_it(tmp_path: Path) -> None:
    layout = Layout(home=tmp_path, runtime=tmp_path)
    own = Component(name="control", kind="control", url="http://127.0.0.1:25001", pid=1, state=ComponentState.READY)
    async with listening(layout.supervisor_socket, lambda _: SupervisorAnswer(components=(own,))):
        assert await asyncio.to_thread(control_url, layout) == "http://127.0.0.1:25001"
    assert await asyncio.to_thread(control_url, layout) == "http://127.0.0.1:8010"  # no stack runs here


def test_decisions_are_asked_for_with_what_narrows_them() -> None:
    with _control() as server:
        done = _run(server, "decisions", "--fallback", "any", "--status", "5xx", "--strategy", "session")
        assert (done.exit_code, server.asked) == (0, "limit=20&fallback=any&status=5xx&strategy=session")
        assert _run(server, "decisions", "--since", "10m").exit_code == 0
        assert server.asked.startswith("limit=20&since=1")
        assert _run(server, "decisions", "--since", "soon").exit_code == 2


def test_decisions_that_come_are_a_line_each() -> None:
    with _control() as server:
        line = _run(server, "decisions", "--follow").output
        (document,) = _run(server, "decisions", "--follow", "--json").output.splitlines()
    assert "kv_aware  direct  decode-0  181  0  0.250  200  less_work (fallback: decode_retried)" in line
    assert msgspec.json.decode(document, type=DecisionRecord) == RECORDED


def test_one_decision_is_explained() -> None:
    with _control() as server:
        said = _run(server, "decision", "r-1").output
        document = _run(server, "decision", "r-1", "--json").output
    for part in (
        "Path: straight to one decode engine, for a prompt of 181 tokens: the prompt is shorter than the threshold (181 < 512).",
        "Decode: decode-1 by kv_aware: less_work.",
        "It went otherwise: decode-0 answered.",
        "Not as configured: decode_retried.",
        "decode candidates, best first by work",
        "│ > │ decode-1 │         1 │    176 │   256 │  261 │",
        "│   │ decode-0 │         9 │      0 │     ? │    ? │",
        "and 7 others",
        "│ cached tokens, decode   │       176 │        0 │",
        "│ first token of decode-1 │   0.040 s │  0.250 s │",
        "Another candidate was believed to hold 16 more tokens of the prompt.",
        "│ session     │ decode-0 │ session_home │          -8 │ -0.125 s │",
        "│ round_robin │ the same │ turn         │           0 │  0.000 s │",
        "time: router 0.001 s, prefill 0.249 s",
    ):
        assert part in said
    assert msgspec.json.decode(document, type=DecisionRecord) == RECORDED


def test_recorded_decisions_are_decided_again(tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    whole = msgspec.structs.replace(RECORDED, decode=msgspec.structs.replace(RECORDED.decode, omitted=0))
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in (whole, RECORDED)))
    by_load = CliRunner().invoke(command, ["replay", str(file), "--by", "in_flight"])
    assert [cell.strip() for cell in by_load.output.splitlines()[-2].strip("│").split("│")] == [
        "kv_aware",
        "1",
        "1 (100 %)",
        "?",
        "?",
    ]
    rows = json.loads(CliRunner().invoke(command, ["replay", str(file), "--by", "cached_tokens", "--json"]).output)
    assert rows == [{"strategy": "kv_aware", "decisions": 1, "again": 1, "more_tokens": None, "sooner_seconds": None}]
    assert "no decision among several engines" in CliRunner().invoke(command, ["replay", str(file), "--by", "rank"]).output
    file.write_bytes(b"{")
    torn = CliRunner().invoke(command, ["replay", str(file)])
    assert (torn.exit_code, "line 1: " in torn.output) == (1, True)
