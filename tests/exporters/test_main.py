"""The command line, and the process as an operator runs it."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from exporters.__main__ import main
from stack.cli.main import main as kvdeck


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--listen", "9410"], "expected HOST:PORT, for example 127.0.0.1:8000, not '9410'"),
        (["--listen", "127.0.0.1:x"], "not '127.0.0.1:x'"),
        (["--lmcache", "http://l"], "'http://l' is not NAME=URL"),
        (["--store", "a=redis://x", "--store", "a=redis://y"], "'a' is named twice"),
        (["--timeout", "0"], "0.0 is not in the range"),
    ],
)
def test_a_wrong_argument_is_named(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert complaint in result.output


def test_the_command_is_listed_without_importing_the_exporter() -> None:
    assert "Show engines, KV cache tiers and KV transfers" in CliRunner().invoke(kvdeck, ["--help"]).output


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(url: str, process: subprocess.Popen[bytes]) -> httpx.Response:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return httpx.get(url, trust_env=False)
        except httpx.ConnectError:
            time.sleep(0.1)  # a process takes its time; there is nothing to fake here
    raise AssertionError(f"no answer, exit status {process.poll()}")


def test_the_process_serves_and_ends_on_sigterm(tmp_path: Path) -> None:
    port, nobody = _free_port(), _free_port()
    store = f"redis=redis://127.0.0.1:{nobody}"
    arguments = ["--listen", f"127.0.0.1:{port}", "--targets", str(tmp_path / "engines.json"), "--store", store]
    with subprocess.Popen([sys.executable, "-m", "stack.cli.main", "exporter", *arguments], stderr=subprocess.PIPE) as process:
        try:
            assert _wait(f"http://127.0.0.1:{port}/healthz", process).text == "ok\n"
            metrics = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=60)
    assert 'kvdeck_scrape_collector_success{collector="store",target="redis"} 0.0' in metrics
    assert process.returncode == 0
    assert b"target cannot be read collector='store' target='redis' error='ConnectionError'" in errors
    assert b"Traceback" not in errors
