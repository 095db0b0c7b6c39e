"""A little Prometheus that wants to know who asks: it answers every expression with one sample, or 401."""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import trustme


@dataclass(frozen=True, slots=True)
class Asked:
    """What came in, header names in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]


Check = Callable[[Asked], bool]


@contextmanager
def guarded(check: Check, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Its URL, while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            good = check(Asked(self.command, self.path, headers))
            result = [{"metric": {"job": "a"}, "value": [1_700_000_000, "1"]}]
            body = json.dumps({"status": "success", "data": {"result": result}}).encode() if good else b"nobody known"
            self.send_response(200 if good else 401)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None: ...  # who has no certificate ends the handshake

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files: whom to believe, and a client's certificate and key; `server` asks clients for theirs."""

    authority: Path
    certificate: Path
    key: Path
    server: ssl.SSLContext


def certificates(folder: Path, name: str = "127.0.0.1") -> Certificates:
    """New ones; the server's is for `name`."""
    authority = trustme.CA()
    made = Certificates(folder / "ca.pem", folder / "client.pem", folder / "client.key", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    authority.cert_pem.write_to_path(str(made.authority))
    client = authority.issue_cert("dashboard")
    client.private_key_pem.write_to_path(str(made.key))
    client.cert_chain_pems[0].write_to_path(str(made.certificate))
    authority.issue_cert(name).configure_cert(made.server)
    authority.configure_trust(made.server)
    made.server.verify_mode = ssl.CERT_REQUIRED
    return made


def signed_by(access: str, secret: str, region: str) -> Check:
    """As Amazon's servers check it: the query is decoded and written again, and the signature made once more."""

    def check(asked: Asked) -> bool:
        said = dict(part.strip().split("=", 1) for part in asked.headers["authorization"].partition(" ")[2].split(","))
        names = said["SignedHeaders"].split(";")
        stamp = asked.headers["x-amz-date"]
        scope = f"{stamp[:8]}/{region}/aps/aws4_request"
        parts = urlsplit(asked.path)
        query = "&".join(sorted(f"{quote(n, safe='-_.~')}={quote(v, safe='-_.~')}" for n, v in parse_qsl(parts.query)))
        plain = [asked.method, quote(parts.path, safe="/-_.~"), query]
        plain += [*(f"{name}:{asked.headers[name]}" for name in names), "", ";".join(names), hashlib.sha256(b"").hexdigest()]
        text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(chr(10).join(plain).encode()).hexdigest()}"
        key = ("AWS4" + secret).encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        expected = hmac.new(key, text.encode(), "sha256").hexdigest()
        return said["Credential"] == f"{access}/{scope}" and said["Signature"] == expected

    return check
