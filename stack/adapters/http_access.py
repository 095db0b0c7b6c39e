"""Asks servers that want to know who asks: Prometheus and Alertmanager behind tokens, passwords, certificates, signatures.

`access = Access(read_http_config(path))` once; then `access.client()` or `access.async_client()`, which are httpx's own and go
like them: a secret's file that cannot be read is an httpx.RequestError. Whoever asks by other means takes `access.sign` and
`access.trust`. A secret that changes on disk is the one that is sent next.
"""

from __future__ import annotations

import base64
import ssl
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from stack.adapters.aws_credentials import Keys, keys
from stack.adapters.http_config import PLAIN, Header, HttpConfig, HttpConfigError
from stack.adapters.sigv4 import canonical, signed

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Sent:
    """What is asked in place of what was to be asked: the address as it was signed, and the headers that say who asks."""

    url: str
    headers: Mapping[str, str]


class Access(httpx.Auth):
    """How one server is asked. `clock` is in Unix seconds. Raises HttpConfigError."""

    requires_request_body = True

    def __init__(self, config: HttpConfig = PLAIN, clock: Callable[[], float] = time.time) -> None:
        self.config, self._clock = config, clock
        self._keys: Keys | None = None if config.sigv4 is None else keys(config.sigv4)
        self.trust()

    def sign(self, method: str, url: str, body: bytes = b"") -> Sent:
        """Who asks, in headers. Raises HttpConfigError."""
        config = self.config
        headers = {name: _value(header) for name, header in config.http_headers.items()}
        if (auth := config.authorization) is not None:
            headers["Authorization"] = f"{auth.type} {_secret(auth.credentials, auth.credentials_file)}"
        elif (basic := config.basic_auth) is not None:
            pair = f"{_secret(basic.username, basic.username_file)}:{_secret(basic.password, basic.password_file)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        elif config.sigv4 is not None and self._keys is not None:
            url = canonical(url)
            headers |= signed(
                *(method, url, body),
                credentials=self._keys(),
                region=config.sigv4.region,
                service=config.sigv4.service,
                at=self._clock(),
            )
        return Sent(url, headers)

    def trust(self) -> ssl.SSLContext | bool:
        """Whose certificates are believed, and which is shown; read anew. Raises HttpConfigError."""
        tls = self.config.tls_config
        if tls.ca_file is None and tls.cert_file is None and not tls.insecure_skip_verify:
            return True
        try:
            context = ssl.create_default_context(cafile=tls.ca_file)
            if tls.cert_file is not None:
                context.load_cert_chain(tls.cert_file, tls.key_file)
        except OSError as error:  # what is wrong with their content is an SSLError, which is one
            files = " and ".join(str(file) for file in (tls.ca_file, tls.cert_file, tls.key_file) if file is not None)
            raise HttpConfigError(f"tls_config: {files} cannot be used: {error}") from error
        if tls.insecure_skip_verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context

    def client(self, timeout: float = TIMEOUT_SECONDS) -> httpx.Client:
        """For one question or some. Raises HttpConfigError."""
        return httpx.Client(auth=self, verify=self.trust(), timeout=timeout, trust_env=False)

    def async_client(self, timeout: float = TIMEOUT_SECONDS) -> httpx.AsyncClient:
        """For one question or some. Raises HttpConfigError."""
        return httpx.AsyncClient(auth=self, verify=self.trust(), timeout=timeout, trust_env=False)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """httpx asks for this."""
        try:
            sent = self.sign(request.method, str(request.url), request.content)
        except HttpConfigError as error:
            raise httpx.RequestError(str(error), request=request) from error
        request.url = httpx.URL(sent.url)
        request.headers.update(sent.headers)
        if (name := self.config.tls_config.server_name) is not None:
            request.extensions = {**request.extensions, "sni_hostname": name}
        yield request


def _value(header: Header) -> str:
    return next(iter((*header.values, *header.secrets, *map(_read, header.files))))


def _secret(said: str | None, file: Path | None) -> str:
    return _read(file) if said is None and file is not None else said or ""


def _read(file: Path) -> str:
    try:
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HttpConfigError(f"{file} cannot be read: {error}") from error
    if not text.isprintable():  # a line break in a header would begin another
        raise HttpConfigError(f"{file} holds more than one line of text")
    return text
