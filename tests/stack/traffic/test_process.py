"""`kvdeck traffic` against an emulated engine, both as processes."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

KVDECK = [sys.executable, "-m", "stack.cli.main"]
SPEC = {"pool": "decode", "port": 0, "model": "m", "model_root": "/nowhere"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The URL of an emulated engine, a hundred times faster than life."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = [*KVDECK, "emulator", "--admin", f"127.0.0.1:{port}", "--time-scale", "0.01"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        assert "emulator listens" in started.stderr.readline()
        engine = httpx.put(f"http://127.0.0.1:{port}/engines/decode-0", json=SPEC).json()
        yield engine["url"]
        started.terminate()


def traffic(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*KVDECK, "traffic", *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_every_request_is_told_as_json(endpoint: str) -> None:
    done = traffic("--url", endpoint, "--rate", "40", "--duration", "1", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["summary"]["failures"] == {}
    assert document["summary"]["emulated"] is True
    assert document["summary"]["requests"] == len(document["requests"]) > 10
    assert all(request["first_token_seconds"] > 0 for request in document["requests"])
    assert document["summary"]["kinds"]["all"]["cached_tokens"] > 0
    assert "prompt" not in {key for request in document["requests"] for key in request}


def test_a_trace_is_replayed(endpoint: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    lines = [{"timestamp": 100 * index, "input_length": 600, "output_length": 5, "hash_ids": [0, index + 1]} for index in range(5)]
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = traffic("--url", endpoint, "--trace", str(trace), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    assert summary["requests"] == 5
    assert summary["kinds"]["trace"]["cached_tokens"] > 0


def test_an_endless_run_ends_with_its_summary_when_told_to(endpoint: str) -> None:
    arguments = [*KVDECK, "traffic", "--url", endpoint, "--rate", "40", "--scenario", "chat"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert "traffic begins" in running.stderr.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.5)
        running.send_signal(signal.SIGTERM)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "requests in" in out


def test_an_endpoint_that_is_not_there_is_one_line() -> None:
    done = traffic("--url", "http://127.0.0.1:9", "--duration", "1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: http://127.0.0.1:9/v1/models: ConnectError")
