"""`kvdeck dashboard` reads its options, and says in one line why it does not start."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from stack.cli.dashboard import command


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--listen", "0.0.0.0:8501"), "Error: to listen on 0.0.0.0 it needs --sign-in"),
        (("--prometheus-config", "bad.yaml"), "Error: bad.yaml: Object contains unknown field `bearer`"),
        (("--control-token-file", "empty"), "Error: the token file empty is empty"),
        (("--control-ca-file", "empty"), "Error: empty holds no certificates to trust"),
        (("--tls-cert", "empty", "--tls-key", "empty"), "Error: empty and empty are no certificate and its key"),
    ],
)
def test_why_it_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("bad.yaml").write_text("bearer: x")
    result = CliRunner().invoke(command, given)
    assert result.exit_code == 1
    assert said in result.output
