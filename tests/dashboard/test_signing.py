"""Pages ask a Prometheus that wants to know who asks, by each of its ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.promapi import PromApi, PrometheusUnavailableError
from stack.adapters.http_access import Access
from stack.adapters.http_config import read_http_config
from tests.guarded import Asked, Check, certificates, guarded, signed_by

EXPRESSION = 'sum by (job) (rate(up{job=~"a|b+c"}[5m])) > 0'


def _api(url: str, folder: Path, text: str) -> PromApi:
    file = folder / "http.yaml"
    file.write_text(text)
    return PromApi(url, Access(read_http_config(file)))


def _says(**expected: str) -> Check:
    def check(asked: Asked) -> bool:
        return all(asked.headers.get(name.replace("_", "-")) == value for name, value in expected.items())

    return check


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("authorization: {credentials: s3cret}", _says(authorization="Bearer s3cret")),
        ("basic_auth: {username: ann, password: s3cret}", _says(authorization="Basic YW5uOnMzY3JldA==")),
        ("http_headers: {X-Scope-OrgID: {values: [team-a]}}", _says(x_scope_orgid="team-a")),
        ("sigv4: {region: eu-west-1, access_key: AKID, secret_key: s3cret}", signed_by("AKID", "s3cret", "eu-west-1")),
    ],
    ids=["token", "password", "tenant", "amazon"],
)
def test_who_asks_is_told(tmp_path: Path, text: str, check: Check) -> None:
    with guarded(check) as url:
        assert [sample.value for sample in _api(url, tmp_path, text).instant(EXPRESSION)] == [1.0]


def test_a_certificate_is_shown(tmp_path: Path) -> None:
    made = certificates(tmp_path, "prometheus.example.org")
    text = "tls_config: {ca_file: ca.pem, cert_file: client.pem, key_file: client.key, server_name: prometheus.example.org}"
    with guarded(lambda _: True, made.server) as url:
        assert [sample.value for sample in _api(url, tmp_path, text).instant(EXPRESSION)] == [1.0]
        for other in (text.replace("prometheus.example", "other.example"), "tls_config: {ca_file: ca.pem}"):
            with pytest.raises(PrometheusUnavailableError, match="it cannot be reached"):
                _api(url, tmp_path, other).instant(EXPRESSION)


def test_a_wrong_token_is_told_as_such_and_not_shown(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("wr0ng")
    with guarded(_says(authorization="Bearer right")) as url:
        api = _api(url, tmp_path, "authorization: {credentials_file: token}")
        with pytest.raises(PrometheusUnavailableError, match=r"does not know who asks .HTTP Status Code 401") as told:
            api.instant(EXPRESSION)
        assert "wr0ng" not in str(told.value)
        token.write_text("right")
        assert [sample.value for sample in api.instant(EXPRESSION)] == [1.0]
        token.unlink()
        with pytest.raises(PrometheusUnavailableError, match="token cannot be read"):
            api.instant(EXPRESSION)
