"""The dashboard's own process: HTTPS, sign-in, and no secret where others look."""

from __future__ import annotations

import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import dashboard
from stack.control.access import Role
from tests.certificates import self_signed
from tests.dashboard.fakes import NOWHERE, EmulatedFleet, Steered
from tests.grants import grant
from tests.ports import free_port
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

pytestmark = pytest.mark.e2e

SECRET = "ann-s3cret"
READY_SECONDS = 60.0


@contextmanager
def _started(command: Sequence[str], health: str, verify: ssl.SSLContext | bool, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as out, subprocess.Popen([sys.executable, "-m", *command], stdout=out, stderr=out) as process:
        try:
            ends = time.monotonic() + READY_SECONDS
            while time.monotonic() < ends and process.poll() is None:
                try:
                    if httpx.get(health, verify=verify).is_success:
                        break
                except httpx.HTTPError:
                    time.sleep(0.2)
            yield process
        finally:
            process.terminate()


def test_over_https_a_sign_in_leaves_its_token_nowhere(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    trust = ssl.create_default_context(cafile=certificate)
    fleet = EmulatedFleet(running("prefill-0", "decode-0").engines)
    control = Steered(tmp_path / "control", fleet, desired(), "root", others=(grant("ann", Role.OPERATOR, SECRET),))
    port = free_port()
    url, log = f"https://127.0.0.1:{port}", tmp_path / "log"
    told = ("--prometheus-url", NOWHERE, "--control-url", control.url, "--sign-in")
    tls = ("--tls-cert", str(certificate), "--tls-key", str(certificate.with_suffix(".key")))
    command = ("stack.cli.main", "dashboard", "--listen", f"0.0.0.0:{port}", *told, *tls)
    try:
        with _started(command, f"{url}/_stcore/health", trust, log) as process, httpx.Client(base_url=url, verify=trust) as http:
            assert http.get("/routing").headers["location"] == "/sign-in?next=%2Frouting"
            form = {"token": SECRET, "next": "/routing"}
            answer = http.post("/sign-in", data=form, headers={"Origin": url})
            assert answer.headers["location"] == "/routing"
            assert {"Secure", "HttpOnly", "SameSite=strict"} <= set(answer.headers["set-cookie"].split("; "))
            assert "<title>" in http.get("/routing").text
            seen = [(Path("/proc") / str(process.pid) / name).read_bytes() for name in ("cmdline", "environ")]
    finally:
        control.stop()
    assert [SECRET.encode() in text for text in (*seen, log.read_bytes())] == [False] * 3


def test_however_it_is_started_others_are_told_why_they_see_nothing(tmp_path: Path) -> None:
    port = free_port()
    serve = Path(dashboard.__path__[0]) / "serve.py"
    command = ("streamlit", "run", str(serve), "--server.address", "0.0.0.0", "--server.port", str(port))
    with _started(command, f"http://127.0.0.1:{port}/_stcore/health", True, tmp_path / "log"):
        answer = httpx.get(f"http://127.0.0.1:{port}/routing")
    assert (answer.status_code, "asks nobody who they are" in answer.text) == (403, True)
