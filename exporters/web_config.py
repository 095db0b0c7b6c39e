"""TLS and passwords of the exporter's own pages, in the format that Prometheus' exporters share.

https://github.com/prometheus/exporter-toolkit/blob/master/docs/web-configuration.md; what it has beyond this is refused by its
name, since a setting that is not heeded is a hole.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Literal

import msgspec


class WebConfigError(ValueError):
    """A file that cannot be read as a web configuration; the message names the file and the setting."""


class TlsServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Certificates; relative paths start at the configuration's folder."""

    cert_file: str
    key_file: str
    client_ca_file: str | None = None
    client_auth_type: Literal["NoClientCert", "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"] = "NoClientCert"


class WebConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`basic_auth_users` are bcrypt hashes by user."""

    tls_server_config: TlsServer | None = None
    basic_auth_users: dict[str, str] = {}


_VERIFY = {
    "NoClientCert": ssl.CERT_NONE,
    "VerifyClientCertIfGiven": ssl.CERT_OPTIONAL,
    "RequireAndVerifyClientCert": ssl.CERT_REQUIRED,
}


def load(path: Path) -> WebConfig:
    """The configuration in `path`. Raises WebConfigError."""
    try:
        config = msgspec.yaml.decode(path.read_bytes(), type=WebConfig)
    except (OSError, msgspec.DecodeError) as error:
        raise WebConfigError(f"{path}: {error}") from error
    for user, hashed in config.basic_auth_users.items():
        if not hashed.startswith(("$2a$", "$2b$", "$2y$")):
            raise WebConfigError(f"{path}: basic_auth_users.{user} is no bcrypt hash (htpasswd -nBC 10 USER makes one)")
    tls = config.tls_server_config
    if tls and tls.client_auth_type != "NoClientCert" and tls.client_ca_file is None:
        raise WebConfigError(f"{path}: tls_server_config.client_auth_type {tls.client_auth_type} needs a client_ca_file")
    return config


def tls_options(tls: TlsServer, folder: Path) -> dict[str, str | int | None]:
    """What uvicorn is told of `tls`. Raises WebConfigError for a file that is not there."""
    files = {"ssl_certfile": tls.cert_file, "ssl_keyfile": tls.key_file, "ssl_ca_certs": tls.client_ca_file}
    options: dict[str, str | int | None] = {"ssl_cert_reqs": int(_VERIFY[tls.client_auth_type])}
    for option, name in files.items():
        if name is not None:
            if not (folder / name).is_file():
                raise WebConfigError(f"tls_server_config: {folder / name} is not there")
            options[option] = str(folder / name)
    return options
