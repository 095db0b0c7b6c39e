"""How Prometheus is asked by requests, which its client library asks with."""

from __future__ import annotations

from typing import Any

from requests import PreparedRequest, Session
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from requests.exceptions import RequestException

from stack.adapters.http_access import Access
from stack.adapters.http_config import HttpConfigError


class UnsignedError(RequestException):
    """A question could not be signed: a secret cannot be read; the message says which."""


def session(access: Access) -> Session:
    """One that asks as `access` says."""
    tls = access.config.tls_config
    made = Session()
    made.trust_env = False
    made.auth = _Signing(access)
    # Files that are read anew with each connection.
    made.verify = False if tls.insecure_skip_verify else str(tls.ca_file) if tls.ca_file else True
    made.cert = (str(tls.cert_file), str(tls.key_file)) if tls.cert_file and tls.key_file else None
    return made


def adapter(access: Access, connections: int) -> HTTPAdapter:
    """Over that many kept connections, each question asked once; certificates are held to the name that `access` says."""
    return _Held(access.config.tls_config.server_name, pool_maxsize=connections)


class _Signing(AuthBase):
    def __init__(self, access: Access) -> None:
        self._access = access

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        body = request.body or b""
        try:
            sent = self._access.sign(
                request.method or "GET", request.url or "", body if isinstance(body, bytes) else str(body).encode()
            )
        except HttpConfigError as error:
            raise UnsignedError(str(error)) from error
        request.url = sent.url
        request.headers.update(sent.headers)
        return request


class _Held(HTTPAdapter):
    """Holds the server's certificate to `name`, None to the name in the address."""

    def __init__(self, name: str | None, **options: Any) -> None:
        self._name = name
        super().__init__(**options)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        if self._name is not None:
            options |= {"server_hostname": self._name, "assert_hostname": self._name}
        super().init_poolmanager(connections, maxsize, block, **options)
