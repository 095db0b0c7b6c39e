"""TLS and passwords in the shared format: heeded, or refused by name."""

from pathlib import Path

import pytest

from exporters.web_config import TlsServer, WebConfig, WebConfigError, load, tls_options

HASH = "$2b$04$" + "a" * 53


def written(folder: Path, text: str) -> Path:
    file = folder / "web.yml"
    file.write_text(text)
    return file


def test_both_parts_are_read(tmp_path: Path) -> None:
    text = f"tls_server_config: {{cert_file: c.pem, key_file: k.pem}}\nbasic_auth_users: {{prometheus: {HASH}}}\n"
    assert load(written(tmp_path, text)) == WebConfig(TlsServer("c.pem", "k.pem"), {"prometheus": HASH})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("http_server_config: {http2: false}", "unknown field `http_server_config`"),
        ("tls_server_config: {cert_file: c, key_file: k, min_version: TLS13}", "unknown field `min_version`"),
        ("tls_server_config: {cert_file: c, key_file: k, client_auth_type: RequireAnyClientCert}", "Invalid enum value"),
        ("tls_server_config: {cert_file: c, key_file: k, client_auth_type: RequireAndVerifyClientCert}", "needs a client_ca_file"),
        ("basic_auth_users: {a: secret}", "basic_auth_users.a is no bcrypt hash"),
        ("[", "web.yml"),
    ],
)
def test_what_cannot_be_heeded_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(WebConfigError, match=complaint):
        load(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WebConfigError, match=r"none\.yml"):
        load(tmp_path / "none.yml")
    with pytest.raises(WebConfigError, match=r"c\.pem is not there"):
        tls_options(TlsServer("c.pem", "k.pem"), tmp_path)


def test_paths_start_at_the_configuration_s_folder(tmp_path: Path) -> None:
    for name in ("c.pem", "k.pem", "ca.pem"):
        (tmp_path / name).touch()
    assert tls_options(TlsServer("c.pem", "k.pem", "ca.pem", "RequireAndVerifyClientCert"), tmp_path) == {
        "ssl_certfile": str(tmp_path / "c.pem"),
        "ssl_keyfile": str(tmp_path / "k.pem"),
        "ssl_ca_certs": str(tmp_path / "ca.pem"),
        "ssl_cert_reqs": 2,
    }
