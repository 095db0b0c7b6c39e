"""Where the dashboard finds its sources: environment variables, read once a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class SettingsError(ValueError):
    """The environment says something that cannot be; the message names the variable."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`control_token` is None where control runs without tokens (loopback only).

    `control_url` is None where there is no control, and Prometheus alone is looked at. `sign_in`: people come with their own
    tokens. `prometheus_config` is a file that says how Prometheus wants to be asked.
    `control_authorities` is a PEM file of those whose certificates are believed, None for the common ones.
    """

    prometheus_url: str
    control_url: str | None
    sign_in: bool
    prometheus_config: Path | None
    alertmanager_url: str
    router_url: str
    control_token: str | None
    control_authorities: Path | None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Settings:
        """Settings from `KVDECK_*`, with the one-machine stack's defaults. Raises SettingsError for an unreadable token file."""
        return cls(
            sign_in=environment.get("KVDECK_SIGN_IN", "") not in ("", "0"),
            prometheus_url=environment.get("KVDECK_PROMETHEUS_URL", "http://127.0.0.1:9090"),
            control_url=environment.get("KVDECK_CONTROL_URL", "http://127.0.0.1:8010") or None,
            prometheus_config=_file(environment.get("KVDECK_PROMETHEUS_CONFIG")),
            alertmanager_url=environment.get("KVDECK_ALERTMANAGER_URL", "http://127.0.0.1:9093"),
            router_url=environment.get("KVDECK_ROUTER_URL", "http://127.0.0.1:8000"),
            control_token=_token(environment.get("KVDECK_CONTROL_TOKEN_FILE")),
            control_authorities=_file(environment.get("KVDECK_CONTROL_CA_FILE")),
        )


def _token(path: str | None) -> str | None:
    """An unreadable file is no missing token: control would be asked without one, and refuse for another reason."""
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"KVDECK_CONTROL_TOKEN_FILE: {path} cannot be read: {error}") from error


def _file(path: str | None) -> Path | None:
    return Path(path) if path else None
