"""What the dashboard's process is told, and what it does not start with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from stack.wiring.dashboard import DashboardConfigError, DashboardOptions, argv, check, environment

HERE: dict[str, Any] = {"host": "127.0.0.1", "port": 8501, "prometheus_url": "http://127.0.0.1:9090"}
OPEN = HERE | {"host": "0.0.0.0"}
SIGNING = {"sign_in": True, "control_url": "https://control:8010"}
TLS = {"certificate": Path("crt.pem"), "key": Path("key.pem")}


@pytest.mark.parametrize(
    "told", [HERE, HERE | {"host": "[::1]"}, HERE | SIGNING, OPEN | SIGNING | TLS, OPEN | SIGNING | {"insecure": True}]
)
def test_it_starts_where_nobody_comes_in_unknown(told: dict[str, Any]) -> None:
    check(DashboardOptions(**told))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (OPEN, "to listen on 0.0.0.0 it needs --sign-in"),
        (OPEN | TLS, "it needs --sign-in"),
        (OPEN | {"control_url": "http://c", "control_token": Path("viewer.token")}, "it needs --sign-in"),
        (OPEN | {"allowed": ("deck.example.org",)}, "it needs --sign-in"),
        (OPEN | SIGNING, "in clear text: .*--tls-cert and --tls-key, or --insecure"),
        (HERE | {"sign_in": True}, "--sign-in goes with --control-url"),
        (HERE | SIGNING | {"control_token": Path("t")}, "one for all: give one of them"),
        (HERE | {"key": Path("k")}, "--tls-cert and --tls-key go together"),
        (HERE | {"base": "kvdeck"}, "--base-path is something like /kvdeck"),
        (HERE | {"base": "/a//b"}, "--base-path is something like /kvdeck"),
    ],
)
def test_it_does_not_start_otherwise_and_says_what_to_do(told: dict[str, Any], said: str) -> None:
    with pytest.raises(DashboardConfigError, match=said):
        check(DashboardOptions(**told))


def test_streamlit_is_told_the_rest_and_no_secret(tmp_path: Path) -> None:
    options = DashboardOptions(**OPEN | SIGNING | TLS, base="/kvdeck", allowed=("deck.example.org",))
    assert argv(options, tmp_path / "serve.py") == [
        *(sys.executable, "-m", "streamlit", "run", str(tmp_path / "serve.py")),
        *("--server.address=0.0.0.0", "--server.port=8501", "--server.baseUrlPath=/kvdeck"),
        *("--server.sslCertFile=crt.pem", "--server.sslKeyFile=key.pem"),
        *("--server.headless=true", "--server.fileWatcherType=none", "--browser.gatherUsageStats=false"),
        *(f"--server.allowedHosts={name}" for name in ("localhost", "127.0.0.1", "::1", "deck.example.org")),
    ]


def test_what_is_not_given_is_not_inherited_either() -> None:
    inherited = {"KVDECK_SIGN_IN": "1", "KVDECK_CONTROL_TOKEN_FILE": "/old", "KVDECK_ROUTER_URL": "http://r"}
    assert environment(DashboardOptions(**HERE), inherited) == {
        "KVDECK_ROUTER_URL": "http://r",
        "KVDECK_PROMETHEUS_URL": "http://127.0.0.1:9090",
        "KVDECK_PROMETHEUS_CONFIG": "",
        "KVDECK_CONTROL_URL": "",
        "KVDECK_CONTROL_CA_FILE": "",
        "KVDECK_CONTROL_TOKEN_FILE": "",
        "KVDECK_SIGN_IN": "",
    }
