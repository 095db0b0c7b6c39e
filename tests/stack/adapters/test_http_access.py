"""Each way of saying who asks, against a server that wants it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from stack.adapters.aws_credentials import keys
from stack.adapters.http_access import Access
from stack.adapters.http_config import PLAIN, HttpConfigError, Sigv4, read_http_config
from stack.adapters.prometheus_query import PrometheusError, instant
from stack.adapters.sigv4 import Credentials
from tests.guarded import Asked, certificates, guarded, signed_by

EXPRESSION = 'sum by (job) (rate(up{job=~"a|b+c"}[5m])) > 0'
AT = 1_700_000_000.0


def _access(folder: Path, text: str) -> Access:
    file = folder / "http.yaml"
    file.write_text(text)
    return Access(read_http_config(file))


def _ask(url: str, access: Access) -> list[float]:
    return [value for _, value in instant(url, EXPRESSION, AT, access)]


def test_a_token_is_read_from_its_file_whenever_it_is_needed(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old\n")
    access = _access(tmp_path, "authorization: {credentials_file: token}")
    with guarded(lambda asked: asked.headers.get("authorization") == "Bearer new") as url:
        with pytest.raises(PrometheusError, match="401"):
            _ask(url, access)
        token.write_text("new\n")
        assert _ask(url, access) == [1.0]
        token.unlink()
        with pytest.raises(PrometheusError, match="token cannot be read"):
            _ask(url, access)


def test_a_password_may_hold_anything_but_a_line_break(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("p:ä ss\n")
    access = _access(tmp_path, "basic_auth: {username: ann, password_file: password}")
    with guarded(lambda asked: asked.headers.get("authorization") == "Basic YW5uOnA6w6Qgc3M=") as url:
        assert _ask(url, access) == [1.0]
    (tmp_path / "password").write_text("a\nX-Other: b")
    with pytest.raises(HttpConfigError, match="more than one line"):
        access.sign("GET", url)


def test_headers_come_along(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k1")
    access = _access(tmp_path, "http_headers: {X-Scope-OrgID: {values: [team-a]}, X-Key: {files: [key]}}")

    def check(asked: Asked) -> bool:
        return (asked.headers.get("x-scope-orgid"), asked.headers.get("x-key")) == ("team-a", "k1")

    with guarded(check) as url:
        assert _ask(url, access) == [1.0]


def test_a_certificate_is_shown_and_the_servers_is_held_to_its_name(tmp_path: Path) -> None:
    made = certificates(tmp_path, "prometheus.example.org")
    text = "tls_config: {{ca_file: ca.pem, cert_file: client.pem, key_file: client.key, server_name: {}}}"
    with guarded(lambda _: True, made.server) as url:
        assert _ask(url, _access(tmp_path, text.format("prometheus.example.org"))) == [1.0]
        for other in (text.format("other.example.org"), "tls_config: {ca_file: ca.pem, server_name: prometheus.example.org}"):
            with pytest.raises(PrometheusError):
                _ask(url, _access(tmp_path, other))
        with pytest.raises(PrometheusError, match="CERTIFICATE_VERIFY_FAILED"):
            _ask(url, _access(tmp_path, "tls_config: {cert_file: client.pem, key_file: client.key}"))
        unseen = "tls_config: {insecure_skip_verify: true, cert_file: client.pem, key_file: client.key}"
        assert _ask(url, _access(tmp_path, unseen)) == [1.0]


def test_amazons_signature_holds_for_any_expression(tmp_path: Path) -> None:
    access = _access(tmp_path, "sigv4: {region: eu-west-1, access_key: AKID, secret_key: s3cret}")
    with guarded(signed_by("AKID", "s3cret", "eu-west-1")) as url:
        assert _ask(f"{url}/workspaces/ws-1", access) == [1.0]
        other = _access(tmp_path, "sigv4: {region: eu-west-1, access_key: AKID, secret_key: other}")
        with pytest.raises(PrometheusError, match="401"):
            _ask(url, other)


async def test_those_that_wait_for_answers_ask_in_the_same_way(tmp_path: Path) -> None:
    access = _access(tmp_path, "authorization: {type: Key, credentials: s3cret}")
    with guarded(lambda asked: asked.headers.get("authorization") == "Key s3cret") as url:
        async with access.async_client() as http:
            assert (await http.get(url)).status_code == 200
    async with Access(PLAIN).async_client() as http:
        assert isinstance(http, httpx.AsyncClient)


def test_keys_are_the_files_or_the_environments() -> None:
    environment = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s3cret", "AWS_SESSION_TOKEN": "t0ken"}
    assert keys(Sigv4(region="r"), environment)() == Credentials("AKID", "s3cret", "t0ken")
    assert keys(Sigv4(region="r", access_key="A", secret_key="s"), environment)() == Credentials("A", "s")


def test_profiles_and_roles_are_botocores_to_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "credentials"
    file.write_text("[deck]\naws_access_key_id = AKID\naws_secret_access_key = s3cret\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    try:
        import botocore  # noqa: F401
    except ImportError:
        with pytest.raises(HttpConfigError, match=r"pip install 'kvdeck\[aws\]'"):
            keys(Sigv4(region="r", profile="deck"), {})
        return
    assert keys(Sigv4(region="r", profile="deck"), {})() == Credentials("AKID", "s3cret")
    with pytest.raises(HttpConfigError, match=r"sigv4: .*other"):
        keys(Sigv4(region="r", profile="other"), {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bearer: x", "unknown field `bearer`"),
        ("authorization: {}", "one of credentials and credentials_file is needed"),
        ("authorization: {credentials: a, credentials_file: b}", "one of credentials and credentials_file is needed"),
        ("authorization: {type: Basic, credentials: a}", "for Basic say basic_auth"),
        ("basic_auth: {username: a}", "one of password and password_file is needed"),
        ("{basic_auth: {username: a, password: b}, authorization: {credentials: c}}", "one of authorization and basic_auth"),
        ("tls_config: {cert_file: a}", "cert_file and key_file go together"),
        ("sigv4: {profile: a}", "missing required field `region`"),
        ("sigv4: {region: a, access_key: b}", "access_key and secret_key go together"),
        ("http_headers: {Authorization: {values: [a]}}", "Authorization is not for a header to say"),
        ("http_headers: {X-A: {values: [a, b]}}", "X-A takes one value"),
        ("http_headers: {'X A': {values: [a]}}", "matching regex"),
        ("tls_config: {ca_file: none.pem}", r"none\.pem cannot be used"),
        ("a: [", "while parsing"),
    ],
)
def test_a_file_that_says_something_else_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(HttpConfigError, match=said):
        _access(tmp_path, text)


def test_an_empty_file_asks_plainly(tmp_path: Path) -> None:
    assert _access(tmp_path, "").config == PLAIN == read_http_config(None)
