"""Amazon's signature of an HTTP request, version 4.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

_UNRESERVED = "-_.~"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who signs; `token` comes with keys that are lent for a while."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


def canonical(url: str) -> str:
    """`url` with its query written as the signature reads it: a server that decodes it and writes it again gets the same."""
    parts = urlsplit(url)
    pairs = [(_quoted(name), _quoted(value)) for name, value in parse_qsl(parts.query, keep_blank_values=True)]
    return urlunsplit(parts._replace(query="&".join(f"{name}={value}" for name, value in sorted(pairs)), fragment=""))


def signed(
    method: str, url: str, body: bytes, *, credentials: Credentials, region: str, service: str, at: float
) -> Mapping[str, str]:
    """The headers that sign this request, at `at` (Unix seconds); `url` is `canonical`."""
    parts = urlsplit(url)
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": parts.netloc.rpartition("@")[2], "x-amz-date": stamp}
    if credentials.token is not None:
        headers["x-amz-security-token"] = credentials.token
    names = ";".join(sorted(headers))
    # The path is written as it is sent, and each part of it is quoted once more.
    lines = (
        *(method, quote(parts.path or "/", safe=f"/{_UNRESERVED}"), parts.query),
        *(f"{name}:{headers[name]}" for name in sorted(headers)),
        *("", names, hashlib.sha256(body).hexdigest()),
    )
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()))
    key = f"AWS4{credentials.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.new(key, text.encode(), "sha256").hexdigest()
    said = f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {name: value for name, value in headers.items() if name != "host"} | {"authorization": said}


def _quoted(text: str) -> str:
    return quote(text, safe=_UNRESERVED)
