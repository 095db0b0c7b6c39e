import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
from click.testing import CliRunner

from stack.cli.emulator import command


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        bound: int = free.getsockname()[1]
    return bound


@pytest.fixture
def process(port: int) -> Iterator[subprocess.Popen[str]]:
    """`kvdeck emulator`, listening."""
    arguments = [sys.executable, "-m", "stack.cli.main", "emulator", "--admin", f"127.0.0.1:{port}"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        assert "emulator listens" in started.stderr.readline()
        yield started
        started.kill()


def test_it_serves_and_ends_in_order_when_told_to(process: subprocess.Popen[str], port: int) -> None:
    spec = {"pool": "decode", "port": 0, "model": "m", "model_root": "/nowhere"}
    engine = httpx.put(f"http://127.0.0.1:{port}/engines/decode-0", json=spec).json()
    assert httpx.get(f"{engine['url']}/health").status_code == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def test_profiles_are_listed_with_their_basis() -> None:
    result = CliRunner().invoke(command, ["--profiles"])
    assert result.exit_code == 0
    assert "laptop-smollm2: measured" in result.output


def test_an_unknown_profile_is_said_before_anything_starts() -> None:
    result = CliRunner().invoke(command, ["--profile", "none"])
    assert result.exit_code == 2
    assert "known: laptop-smollm2" in result.output
