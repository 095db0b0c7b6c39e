"""Whose certificates are believed."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from stack.adapters.trust import TrustError, trusting


def test_the_common_authorities_are_read_once_and_names_are_checked() -> None:
    common = trusting(None)
    assert common is trusting(None)
    assert (common.verify_mode, common.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert common.cert_store_stats()["x509_ca"] > 0


def test_a_file_without_certificates_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrustError, match=r"none\.pem holds no certificates to trust"):
        trusting(tmp_path / "none.pem")
