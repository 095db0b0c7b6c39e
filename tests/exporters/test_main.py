"""The command line, and the process as an operator runs it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from exporters.__main__ import main
from exporters.collector import collectors
from stack.cli.main import main as kvdeck
from tests.ports import free_port


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--web.listen-address", "9410"], "expected HOST:PORT, for example 127.0.0.1:8000, not '9410'"),
        (["--web.listen-address", "127.0.0.1:x"], "not '127.0.0.1:x'"),
        (["--lmcache", "http://l"], "a value is not NAME=URL"),
        (["--store", "a=redis://x", "--store", "a=redis://y"], "'a' is named twice"),
        (["--engine", "a=ftp://x"], "the URL of 'a' does not begin with http:// or https://"),
        (["--store", "a=http://x"], "the URL of 'a' does not begin with redis:// or rediss:// or unix://"),
        (["--lmcache", "a=http://"], "the URL of 'a' does not begin with"),
        (["--scrape.timeout", "0"], "0.0 is not in the range"),
        (["--web.telemetry-path", "metrics"], "'metrics' is not a path of its own"),
        (["--web.telemetry-path", "/healthz"], "'/healthz' is not a path of its own"),
        (["--l2.expected-url", "secret"], "no URL of a host, such as redis://store:6379"),
        (["--tier_daemon.url", "127.0.0.1:9200"], "'127.0.0.1:9200' is not a URL, such as http://127.0.0.1:9200"),
        (["--collector.wrong"], "No such option"),
        (["--scrape.ca-file", "/nowhere.pem"], "'/nowhere.pem': [Errno 2]"),
        (["--shard", "2/2"], "'2/2' is not I/N with I from 0 to N-1"),
        (["--shard", "x"], "'x' is not I/N"),
        (["--probe.allow", "10.0.0.0/33"], "'10.0.0.0/33' is neither a network (10.0.0.0/8) nor a host name"),
        (["--web.telemetry-path", "/probe"], "'/probe' is not a path of its own"),
    ],
)
def test_a_wrong_argument_is_named(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert complaint in result.output


def test_every_collector_has_a_switch_that_says_what_it_reads() -> None:
    told = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    for name in collectors:
        assert f"--collector.{name} / --no-collector.{name}" in told
    assert "whether it is there; off by default" in told
    assert "Reads vLLM engines: those of the target file and those named. [default: on]" in told
    assert "[default: off]" in told
    assert "[default: collector." not in told
    assert "[default: no-collector." not in told


def test_stores_may_be_named_where_no_list_of_processes_shows_their_passwords() -> None:
    told = CliRunner(env={"KVDECK_STORE": "a=redis://x a=redis://y"}).invoke(main, []).output
    assert "'a' is named twice" in told
    assert "[env var: KVDECK_STORE]" in " ".join(CliRunner(env={"KVDECK_STORE": ""}).invoke(main, ["--help"]).output.split())


def test_a_refused_url_is_not_repeated() -> None:
    assert "secret" not in CliRunner().invoke(main, ["--store", "a=redi://:secret@x"]).output


def test_a_wrong_web_configuration_is_named(tmp_path: Path) -> None:
    file = tmp_path / "web.yml"
    file.write_text("tls_server_config: {cert_file: a}\n")
    result = CliRunner().invoke(main, ["--web.config.file", str(file)])
    assert result.exit_code == 1
    assert "missing required field `key_file`" in result.output


def test_who_asks_kubernetes_from_outside_hears_what_is_missing() -> None:
    result = CliRunner(env={"KUBERNETES_SERVICE_HOST": None}).invoke(main, ["--kubernetes.selector", "app=vllm"])
    assert result.exit_code == 1
    assert "not in a pod with a service account" in result.output


def test_the_command_is_listed_without_importing_the_exporter() -> None:
    assert "Show engines, KV cache tiers and KV transfers" in CliRunner().invoke(kvdeck, ["--help"]).output


def _wait(url: str, process: subprocess.Popen[bytes]) -> httpx.Response:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return httpx.get(url, trust_env=False)
        except httpx.ConnectError:
            time.sleep(0.1)  # a process takes its time; there is nothing to fake here
    raise AssertionError(f"no answer, exit status {process.poll()}")


def test_the_process_serves_and_ends_on_sigterm(tmp_path: Path) -> None:
    port, nobody = free_port(), free_port()
    store = f"redis=redis://127.0.0.1:{nobody}"
    arguments = ["--web.listen-address", f"127.0.0.1:{port}", "--target.file", str(tmp_path / "engines.json"), "--store", store]
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
