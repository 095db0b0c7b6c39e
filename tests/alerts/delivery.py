"""A real Alertmanager with the configuration that is shipped, whose receivers are one webhook here, and what it delivers."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import httpx
import yaml

from stack.local.unpacked_alertmanager import relocated
from tests.alerts.promtool import tool

READY_SECONDS = 30.0
DELIVERED_SECONDS = 30.0
_TEMPLATES = "templates"
# Fast enough for a test; what is grouped and inhibited is the configuration's own.
_PACE = {"group_wait": "200ms", "group_interval": "300ms"}

Labels = dict[str, str]


@dataclass(frozen=True, slots=True)
class Message:
    """What a receiver was told at once: its alerts' labels, those that are over apart."""

    receiver: str
    group: Labels
    firing: tuple[Labels, ...]
    resolved: tuple[Labels, ...]


@dataclass(slots=True)
class Webhook:
    """Every message that arrived, in order."""

    messages: list[Message] = field(default_factory=list)
    _arrived: Condition = field(default_factory=Condition)

    def take(self, receiver: str, told: dict[str, Any]) -> None:
        labels = {
            state: tuple(each["labels"] for each in told["alerts"] if each["status"] == state) for state in ("firing", "resolved")
        }
        with self._arrived:
            self.messages.append(Message(receiver, told["groupLabels"], labels["firing"], labels["resolved"]))
            self._arrived.notify_all()

    def of(self, group: Labels, count: int = 1) -> list[Message]:
        """The first `count` messages of a group, waited for. Raises AssertionError with what came instead."""

        def found() -> list[Message]:
            return [message for message in self.messages if message.group == group][:count]

        with self._arrived:
            assert self._arrived.wait_for(lambda: len(found()) == count, DELIVERED_SECONDS), self.messages
            return found()


@dataclass(frozen=True, slots=True)
class Alertmanager:
    """Takes alerts as Prometheus sends them."""

    client: httpx.Client
    webhook: Webhook

    def tell(self, *alerts: Labels, over: bool = False) -> None:
        """`alerts` fire, or are over."""
        ended = {"endsAt": datetime.now(UTC).isoformat()} if over else {}
        self.client.post("/api/v2/alerts", json=[{"labels": labels, **ended} for labels in alerts]).raise_for_status()


@contextmanager
def delivering(config: Path, folder: Path) -> Iterator[Alertmanager]:
    """Alertmanager with `config`, ended with the block."""
    webhook = Webhook()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(webhook))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        (folder / "alertmanager.yaml").write_text(_faster(config, server.server_port))
        with _running(_program(folder), folder) as client:
            yield Alertmanager(client, webhook)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _faster(config: Path, port: int) -> str:
    document = yaml.safe_load(config.read_text())
    document["route"] |= _PACE
    for receiver in document["receivers"]:
        receiver["webhook_configs"] = [{"url": f"http://127.0.0.1:{port}/{receiver['name']}", "send_resolved": True}]
    return yaml.safe_dump(document)


def _handler(webhook: Webhook) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            webhook.take(self.path.strip("/"), told)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _program(folder: Path) -> Path:
    """Debian's, where it was unpacked, looks for its templates where it was not installed: a copy looks in `folder`."""
    program = Path(tool("prometheus-alertmanager", "alertmanager"))
    shipped = program.parents[1] / "share" / "prometheus" / "alertmanager"
    if not (shipped / "default.tmpl").exists() or program.is_relative_to("/usr"):
        return program
    (folder / _TEMPLATES).mkdir()
    for template in shipped.glob("*.tmpl"):
        shutil.copy(template, folder / _TEMPLATES)
    copy = folder / "alertmanager"
    copy.write_bytes(relocated(program.read_bytes(), _TEMPLATES))
    copy.chmod(0o755)
    return copy


@contextmanager
def _running(program: Path, folder: Path) -> Iterator[httpx.Client]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command: Sequence[str | Path] = [
        program, "--config.file=alertmanager.yaml", "--storage.path=data", f"--web.listen-address={address}",
        "--cluster.listen-address=", "--log.level=warn",
    ]  # fmt: skip
    with (folder / "log").open("w") as log, subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as process:
        try:
            with httpx.Client(base_url=f"http://{address}", timeout=10.0, trust_env=False) as client:
                _ready(client, process, folder / "log")
                yield client
        finally:
            process.terminate()
            process.wait(timeout=10)


def _ready(client: httpx.Client, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if client.get("/-/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise TimeoutError(f"Alertmanager is not ready: {log.read_text()}")
