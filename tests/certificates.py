"""Certificates for what tests start."""

import shutil
import subprocess
from pathlib import Path

import pytest


def self_signed(folder: Path) -> Path:
    """A self-signed one of 127.0.0.1, its key beside it; skips the test where there is no openssl."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    file = folder / "cert.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file.with_suffix(".key"), "-out", file],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip
    return file
