"""The whole control process over real sockets: started, asked, killed, started again."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

import httpx
import msgspec
import pytest
import trustme
from msgspec.json import encode as encode_json

from stack.adapters.target_file import TargetFile
from stack.api.answers import ControlUnreachableError, ReadOnlyError, UnauthorizedError
from stack.api.client import ControlClient
from stack.control.access import Role
from stack.control.audit import AuditLine
from stack.control.link import RouterReport
from stack.control.mode import Mode
from stack.model.target import encode
from stack.wiring.token import write
from tests.decisions import decision
from tests.grants import grant
from tests.stack.wiring.control_process import STDOUT, control_command, furnish, running_control


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    furnish(tmp_path)
    return tmp_path


def test_it_serves_ends_cleanly_and_remembers(folder: Path) -> None:
    config = str(folder / "config.yaml")
    with running_control(folder, "--config", config) as process:
        with ControlClient(process.url, actor="test") as client:
            state = client.state()
            assert state.desired.models["smollm2"].strategy == "prefix_aware"
            assert [engine.name for engine in state.engines] == ["decode-0"]
            assert {entry.field for entry in state.drift} >= {"applied.routers", "machinery"}
            assert client.change({"strategy": "session"}, state.generation).generation == 2
        assert httpx.get(process.url + "/health", trust_env=False).headers.get("server") is None
        status, log = process.end()
        assert (status, "control ends" in log, "Traceback" in log) == (0, True, False)
    with running_control(folder, "--config", config) as process, ControlClient(process.url) as client:
        assert (client.state().generation, client.state().desired.models["smollm2"].strategy) == (2, "session")
        assert client.audit().records[0].comment == (
            "the state kept before the restart is in force and wins over the configured one"
        )


def test_a_change_that_was_answered_survives_a_kill(folder: Path) -> None:
    config = str(folder / "config.yaml")
    with running_control(folder, "--config", config) as process, ControlClient(process.url) as client:
        for generation in range(1, 20):
            client.change({"dpd": {"routing_threshold": generation}}, generation)
        process.end(signal.SIGKILL)
    with running_control(folder) as process, ControlClient(process.url) as client:
        state = client.state()
        assert (state.generation, state.desired.models["smollm2"].dpd.routing_threshold) == (20, 19)
        kept = client.audit(limit=1000).records
        assert len(kept) == 1 + 19 + 1
        process.end()
    told = [msgspec.json.decode(line, type=AuditLine).audit for line in (folder / STDOUT).read_bytes().splitlines()]
    assert told == [record for record in reversed(kept) if record in told]
    assert len(told) >= len(kept) - 1  # the kill may have come before the last line


def test_a_file_is_followed_and_the_api_is_read_only(folder: Path) -> None:
    file = folder / "config.yaml"
    with running_control(folder, "--mode", "declarative", "--desired", str(file)) as process, ControlClient(process.url) as client:
        state = client.state()
        assert (state.generation, state.mode, state.desired_file) == (1, Mode.DECLARATIVE, str(file))
        with pytest.raises(ReadOnlyError, match=f"edit {file}, or run control with --mode live"):
            client.change({"strategy": "session"}, 1)
        assert client.change({"strategy": "session"}, 1, dry_run=True).diff != ()
    file.write_text("desired: [")
    with running_control(folder, "--mode", "declarative", "--desired", str(file)) as process, ControlClient(process.url) as client:
        told = {entry.field: entry.reason for entry in client.state().drift}["desired_file"]
        assert "cannot be read" in told
        assert told.endswith("generation 1 stays in force")
        assert [record.outcome for record in client.audit().records] == ["invalid", "started", "refused", "started"]


def test_a_waiting_router_does_not_hold_up_the_end(folder: Path) -> None:
    with running_control(folder, "--config", str(folder / "config.yaml")) as process:
        version = httpx.get(f"{process.url}/v1/routers/r/config", trust_env=False).json()["version"]
        address = httpx.URL(process.url)
        with socket.create_connection((address.host, address.port or 0)) as waiting:
            waiting.sendall(f"GET /v1/routers/r/config?version={version}&wait=50 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            httpx.get(process.url + "/health", trust_env=False)  # so that the poll has arrived
            status, _ = process.end()
            assert status == 0
            assert waiting.recv(100).startswith(b"HTTP/1.1 204")


def test_a_reader_that_takes_nothing_does_not_hold_up_the_end(folder: Path) -> None:
    decisions = tuple(decision(request_id=f"r{number}", path_reason="x" * 10_000) for number in range(100))
    report = RouterReport(id="r", version=1, generation=1, decisions=decisions)
    with running_control(folder, "--config", str(folder / "config.yaml")) as process:
        for _ in range(8):
            httpx.post(f"{process.url}/v1/routers/r/report", content=encode_json(report), trust_env=False).raise_for_status()
        address = httpx.URL(process.url)
        with socket.socket() as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.connect((address.host, address.port or 0))
            stuck.sendall(b"GET /v1/decisions/stream?since=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stuck.recv(12) == b"HTTP/1.1 200"
            httpx.get(process.url + "/health", trust_env=False)  # it has been given all that goes
            status, log = process.end()
    assert (status, "Traceback" in log, "graceful shutdown exceeded" in log) == (0, False, False)


def test_over_tls_a_token_opens_what_its_role_includes(folder: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    write(folder / "tokens.yaml", [grant("ann", Role.OPERATOR, "s3cret"), grant("ben", Role.VIEWER)])
    tls = ("--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"))
    with running_control(folder, "--config", str(folder / "config.yaml"), "--tokens", str(folder / "tokens.yaml"), *tls) as process:
        trusted = folder / "ca.pem"
        with ControlClient(process.url, token="s3cret", authorities=trusted) as ann:
            assert ann.change({"strategy": "session"}, ann.state().generation).generation == 2
            assert ann.audit().records[0].actor == "ann"
        with ControlClient(process.url, token="ben", authorities=trusted) as ben:
            with pytest.raises(UnauthorizedError, match="ben is a viewer; this takes the role operator"):
                ben.change({"strategy": "kv_aware"}, ben.state().generation)
            assert ben.state().generation == 2
        with (
            ControlClient(process.url, token="s3cret") as stranger,
            pytest.raises(ControlUnreachableError, match="CERTIFICATE_VERIFY_FAILED"),
        ):
            stranger.state()
        log = process.end()[1]
    assert "actor='ann'" in log
    assert "s3cret" not in log


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--tls-cert", "a.pem"], "--tls-cert and --tls-key go together"),
        (["--tls-cert", "a.pem", "--tls-key", "b.pem"], "a.pem and b.pem are no certificate and its key"),
        (["--listen", "0.0.0.0:0"], "to listen on 0.0.0.0 it needs --tokens FILE"),
        (["--listen", "nonsense"], "expected HOST:PORT"),
        (["--tokens", "missing"], "the token file missing cannot be read"),
        (["--config", "missing.yaml"], "missing.yaml cannot be read"),
        ([], "pass --config FILE with a 'desired:' section"),
    ],
)
def test_what_it_cannot_start_with_is_one_clear_line(tmp_path: Path, more: list[str], message: str) -> None:
    (tmp_path / "engines.json").write_bytes(encode([]))
    command = control_command(tmp_path, "--listen", "127.0.0.1:0", *more)
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_second_control_on_one_folder_is_refused_and_a_killed_one_leaves_it_free(folder: Path) -> None:
    config = str(folder / "config.yaml")
    with running_control(folder, "--config", config) as process:
        command = control_command(folder, "--listen", "127.0.0.1:0", "--config", config)
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        assert f"another control keeps its state in {folder}: end it, or give --state-dir another folder" in done.stderr
        assert "Traceback" not in done.stderr
        process.end(signal.SIGKILL)
    with running_control(folder) as process, ControlClient(process.url) as client:
        assert client.state().generation == 1


def test_a_port_in_use_is_one_clear_line(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = control_command(folder, "--listen", f"127.0.0.1:{port}", "--config", str(folder / "config.yaml"))
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in done.stderr


def test_the_target_file_is_read_as_its_owner_writes_it(folder: Path) -> None:
    targets = TargetFile(folder / "engines.json")
    assert [target.replica for target in targets.changed() or []] == ["decode-0"]
    assert targets.changed() is None
