"""The dashboard's process: what it is told, checked before it starts."""

from __future__ import annotations

import os
import re
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from stack.adapters.bearer import read_token
from stack.adapters.http_access import Access
from stack.adapters.http_config import read_http_config
from stack.adapters.trust import trusting
from stack.api.guard import loopback

_BASE = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_ITSELF = ("localhost", "127.0.0.1", "::1")


class DashboardConfigError(ValueError):
    """The dashboard cannot start as it was told to; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardOptions:
    """What `kvdeck dashboard` is told. `control_url` None: Prometheus alone is looked at. `allowed` are names by which a proxy
    in front asks, where nobody signs in; `insecure` lets tokens cross the network in clear text.
    """

    host: str
    port: int
    prometheus_url: str
    prometheus_config: Path | None = None
    control_url: str | None = None
    control_authorities: Path | None = None
    control_token: Path | None = None
    base: str = ""
    certificate: Path | None = None
    key: Path | None = None
    sign_in: bool = False
    insecure: bool = False
    allowed: tuple[str, ...] = ()


def start(options: DashboardOptions) -> None:
    """Become the dashboard. Raises DashboardConfigError, and what reading the files raises: ValueErrors, each of one line."""
    check(options)
    _check_files(options)
    os.execve(sys.executable, argv(options, _serve()), environment(options, os.environ))


def check(options: DashboardOptions) -> None:
    """Raises DashboardConfigError."""
    if options.sign_in and options.control_url is None:
        raise DashboardConfigError("--sign-in goes with --control-url: it is control that knows people's tokens")
    if options.sign_in and options.control_token is not None:
        raise DashboardConfigError("--sign-in is by people's own tokens, --control-token-file is one for all: give one of them")
    if (options.certificate is None) != (options.key is None):
        raise DashboardConfigError("--tls-cert and --tls-key go together")
    if options.base and not _BASE.fullmatch(options.base):
        raise DashboardConfigError(f"--base-path is something like /kvdeck, not {options.base!r}")
    if loopback(options.host):
        return
    if not options.sign_in:
        raise DashboardConfigError(
            f"to listen on {options.host} it needs --sign-in, or others could look and steer: people then come with their own"
            " control tokens. Or use --listen 127.0.0.1:8501, and there a proxy that asks who comes"
        )
    if options.certificate is None and not options.insecure:
        raise DashboardConfigError(
            f"tokens would cross the network in clear text: to listen on {options.host} give --tls-cert and --tls-key,"
            " or --insecure where something in front of the dashboard encrypts"
        )


def argv(options: DashboardOptions, serve: Path) -> list[str]:
    """No secret is in it: everybody on the machine reads it."""
    told = {
        "server.address": options.host.strip("[]"),
        "server.port": str(options.port),
        "server.baseUrlPath": options.base,
        "server.sslCertFile": str(options.certificate or ""),
        "server.sslKeyFile": str(options.key or ""),
        # Streamlit's own defaults would have it watch its files and tell its makers that it runs.
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [f"--{name}={value}" for name, value in told.items() if value]
    if options.allowed:
        flags += [f"--server.allowedHosts={name}" for name in (*_ITSELF, *options.allowed)]
    return [sys.executable, "-m", "streamlit", "run", str(serve), *flags]


def environment(options: DashboardOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    """`inherited` with what the dashboard reads; what was not given is not inherited either."""
    told = {
        "KVDECK_PROMETHEUS_URL": options.prometheus_url,
        "KVDECK_PROMETHEUS_CONFIG": str(options.prometheus_config or ""),
        "KVDECK_CONTROL_URL": options.control_url or "",
        "KVDECK_CONTROL_CA_FILE": str(options.control_authorities or ""),
        "KVDECK_CONTROL_TOKEN_FILE": str(options.control_token or ""),
        "KVDECK_SIGN_IN": "1" if options.sign_in else "",
    }
    return {**inherited, **told}


def _check_files(options: DashboardOptions) -> None:
    read_token(options.control_token)
    trusting(options.control_authorities)
    Access(read_http_config(options.prometheus_config))
    if options.certificate is None or options.key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(options.certificate, options.key)
    except OSError as error:  # what is wrong with either is an SSLError, which is one
        raise DashboardConfigError(f"{options.certificate} and {options.key} are no certificate and its key: {error}") from error


def _serve() -> Path:
    """Raises DashboardConfigError."""
    found = find_spec("dashboard")
    if find_spec("streamlit") is None or found is None or not found.submodule_search_locations:
        raise DashboardConfigError("the dashboard's packages are not installed: pip install 'kvdeck[dashboard]'")
    return Path(found.submodule_search_locations[0]) / "serve.py"
