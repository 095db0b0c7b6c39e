"""A control that answers as the test says, and `kvdeck ctl` asking it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import msgspec
from click.testing import CliRunner, Result

from stack.api.experiment_schema import ArmView, ExperimentsView, ExperimentView
from stack.api.history_schema import KeptView
from stack.api.schema import Applied, AuditView, ChangeView, DecisionsView, ErrorDetail, ErrorView, ReportView, StateView
from stack.cli.ctl import command
from stack.control.audit import AuditRecord, Outcome
from stack.control.decision import Candidate, Selection, ShadowChoice
from stack.control.diff import Change
from stack.control.experiment import Experiment, Measure, Proposal
from stack.control.report import Report, Side, rows
from stack.control.verdict import Finding
from stack.control.what_if import what_if
from stack.control.window import figures
from tests.decisions import decision, disaggregated
from tests.stack.control.samples import desired, model
from tests.stack.control.traffic import requests

STATE = StateView(generation=7, desired=desired(), applied=Applied())
CHANGED = ChangeView(
    generation=8,
    desired=desired(),
    applied=Applied(),
    dry_run=False,
    proposed=desired(),
    diff=(Change(field="models.smollm2.strategy", before="prefix_aware", after="session"),),
)
RECORD = AuditRecord(at=0.0, actor="ops", outcome=Outcome.APPLIED, generation=8, diff=CHANGED.diff, comment="because", sequence=7)

KEPT = KeptView(generation=8, at=0.0, record=RECORD, desired={"models": {"smollm2": {"strategy": "session"}}})

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
BEFORE, AFTER = figures(list(requests(80))), figures(list(requests(40, ttft=0.1, seed=2)))
REPORT = Report(
    generation=8,
    model="smollm2",
    at=0.0,
    complete=False,
    settled_seconds=10.0,
    settling=3,
    before=Side(requests=80, since=1_000.0, until=1_039.5),
    after=Side(requests=40, since=2_000.0, until=2_019.5),
    rows=rows(BEFORE, AFTER),
    changes=CHANGED.diff,
    notes=("Mind this.",),
)
DECIDED = [
    make(
        at=float(number),
        ttft_seconds=ttft,
        phases={"prefill": 0.1 + 0.0005 * 38 * (number + 1), "prefill_queue": 0.0},
        prefill_cached_tokens=1_533 - 38 * (number + 1),
        prompt_tokens=1_533,
    )
    for number in range(40)
    for make, ttft in ((decision, 0.9), (disaggregated, 0.6))
]
EXPERIMENT = Experiment(
    id="exp-1",
    model="smollm2",
    generation=7,
    proposal=Proposal(candidate={"strategy": "session"}, samples=1_000, error=0.05),
    control=model(),
    candidate=model(strategy="session"),
    diff=CHANGED.diff,
    actor="ops",
    began_at=0.0,
)
TRIED = ExperimentView(
    experiment=EXPERIMENT,
    control=ArmView(requests=900, sessions=80),
    candidate=ArmView(requests=200, sessions=20),
    findings=(
        Finding(
            measure=Measure.TTFT,
            control_sessions=80,
            candidate_sessions=20,
            control=0.25,
            candidate=0.2,
            effect=0.8,
            low=0.5,
            high=1.05,
            limit=1.1,
            holds=True,
        ),
        Finding(measure=Measure.GAP, control_sessions=0, candidate_sessions=0, limit=1.1),
        Finding(
            measure=Measure.FAILED, control_sessions=80, candidate_sessions=20, control=0.0, candidate=0.02, effect=0.02, holds=None
        ),
    ),
    open_sessions=7,
    left_out=0,
    samples_left=900,
    not_taking_part=("router-1",),
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
        self.reads: dict[str, msgspec.Struct | msgspec.Raw] = {
            "/v1/state": STATE,
            "/v1/audit": AuditView(records=(RECORD,)),
            "/v1/generations/8": KeptView(
                generation=8, at=0.0, record=RECORD, desired={"models": {"smollm2": {"strategy": "session"}}}
            ),
            "/v1/decisions": DecisionsView(decisions=(), dropped=3),
            "/v1/decisions/r-1": RECORDED,
            "/v1/what-if": what_if("smollm2", DECIDED, desired().models["smollm2"].dpd, 1),
            "/v1/experiments": ExperimentsView(experiments=(EXPERIMENT,)),
            "/v1/experiments/exp-1": TRIED,
            "/v1/reports/8": ReportView(generation=8, reports=(REPORT,)),
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

    def do_POST(self) -> None:
        self.do_PATCH()

    def do_DELETE(self) -> None:
        self.server.patches.append((self.path, None, None))
        self.send_response(204)
        self.end_headers()

    def do_PATCH(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.patches.append((self.path, self.headers["If-Match"], json.loads(sent or "null")))
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
def control(status: int = 200, body: object = CHANGED) -> Iterator[Control]:
    with Control(status, body) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def run(server: Control, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--url", f"http://127.0.0.1:{server.server_port}"])


def refusal(code: str) -> ErrorView:
    return ErrorView(error=ErrorDetail(code=code, message=f"it is {code}", field="models.smollm2.strategy"))
