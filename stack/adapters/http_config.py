"""How to ask a server that wants to know who asks: a file in the words of Prometheus' own `http_config`, read and checked.

https://prometheus.io/docs/prometheus/latest/configuration/configuration/#http_config, and `sigv4` as under `remote_write`.
Secrets may stand in the file, or better in files of their own, which are named relative to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from stack.adapters.plain_yaml import PlainYamlError, parse, read

_HeaderName = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")]
_OURS = frozenset(
    {"authorization", "host", "content-length", "content-encoding", "content-type", "transfer-encoding", "connection"}
)


class HttpConfigError(ValueError):
    """The file cannot be used; the message says which, and what to change."""


class Authorization(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`Authorization: <type> <credentials>`."""

    type: str = "Bearer"
    credentials: str | None = None
    credentials_file: Path | None = None


class BasicAuth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name and a password."""

    username: str | None = None
    username_file: Path | None = None
    password: str | None = None
    password_file: Path | None = None


class TlsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose certificates are believed, and who this side is (PEM files). `server_name`: what the certificate is held to."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None
    server_name: str | None = None
    insecure_skip_verify: bool = False


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One header's values."""

    values: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


class Sigv4(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signed as Amazon's services ask for. Without keys the credentials are those of the environment.

    `role_arn` is a role to take on; `service` is whose signature it is.
    """

    region: str
    access_key: str | None = None
    secret_key: str | None = None
    profile: str | None = None
    role_arn: str | None = None
    service: str = "aps"


class HttpConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one server is asked."""

    authorization: Authorization | None = None
    basic_auth: BasicAuth | None = None
    tls_config: TlsConfig = TlsConfig()
    http_headers: dict[_HeaderName, Header] = {}
    sigv4: Sigv4 | None = None


PLAIN = HttpConfig()


def read_http_config(path: Path | None) -> HttpConfig:
    """What the file says, None asks plainly. Raises HttpConfigError."""
    if path is None:
        return PLAIN
    try:
        return parsed(read(path), path.parent)
    except (PlainYamlError, msgspec.ValidationError, HttpConfigError) as error:
        raise HttpConfigError(f"{path}: {error}") from error


def parsed(text: bytes, folder: Path) -> HttpConfig:
    """What `text` says; files are named relative to `folder`. Raises PlainYamlError, ValidationError, HttpConfigError."""

    def made(kind: type, value: object) -> Path:
        if kind is Path and isinstance(value, str):
            return folder / value
        raise NotImplementedError(kind)

    config = msgspec.convert(parse(text) or {}, HttpConfig, dec_hook=made)
    _check(config)
    return config


def _check(config: HttpConfig) -> None:
    ways = {"authorization": config.authorization, "basic_auth": config.basic_auth, "sigv4": config.sigv4}
    if len(given := [name for name, way in ways.items() if way is not None]) > 1:
        raise HttpConfigError(f"one of {' and '.join(given)} says who asks, not both")
    if (auth := config.authorization) is not None:
        _one("authorization", credentials=auth.credentials, credentials_file=auth.credentials_file)
        if auth.type.lower() == "basic":
            raise HttpConfigError("authorization: for Basic say basic_auth")
    if (basic := config.basic_auth) is not None:
        _one("basic_auth", username=basic.username, username_file=basic.username_file)
        _one("basic_auth", password=basic.password, password_file=basic.password_file)
    if (config.tls_config.cert_file is None) != (config.tls_config.key_file is None):
        raise HttpConfigError("tls_config: cert_file and key_file go together")
    if (sigv4 := config.sigv4) is not None and (sigv4.access_key is None) != (sigv4.secret_key is None):
        raise HttpConfigError("sigv4: access_key and secret_key go together")
    for name, header in config.http_headers.items():
        if name.lower() in _OURS:
            raise HttpConfigError(f"http_headers: {name} is not for a header to say")
        if len(header.values) + len(header.secrets) + len(header.files) != 1:
            raise HttpConfigError(f"http_headers: {name} takes one value, of values, secrets or files")


def _one(where: str, **ways: object) -> None:
    if sum(way is not None for way in ways.values()) != 1:
        raise HttpConfigError(f"{where}: one of {' and '.join(ways)} is needed")
