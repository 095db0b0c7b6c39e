from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stack.adapters.token_file import read_grants
from stack.cli.token import command
from stack.control.access import Role, granted


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_a_secret_is_printed_alone_and_nowhere_kept() -> None:
    made = said("new", "--name", "ann", "--role", "operator")
    secret = made.stdout.strip()
    text = Path("tokens.yaml").read_text()
    assert made.exit_code == 0
    assert len(secret) > 40
    assert secret not in text + made.stderr
    found = granted(read_grants(Path("tokens.yaml")), f"Bearer {secret}")
    assert found is not None
    assert (found.name, found.role) == ("ann", Role.OPERATOR)


def test_a_secret_goes_into_a_file_that_only_its_owner_reads() -> None:
    made = said("new", "--name", "ann", "--role", "operator", "--out", "ann.token")
    kept = Path("ann.token")
    assert (made.exit_code, made.stdout, kept.stat().st_mode & 0o777) == (0, "", 0o600)
    found = granted(read_grants(Path("tokens.yaml")), f"Bearer {kept.read_text()}")
    assert found is not None
    assert found.name == "ann"


def test_no_file_is_written_over_and_none_is_left_of_a_token_that_was_refused() -> None:
    Path("ann.token").write_text("somebody's")
    refused = said("new", "--name", "ann", "--role", "operator", "--out", "ann.token")
    assert (refused.exit_code, refused.stderr) == (1, "Error: ann.token cannot be made: File exists\n")
    assert (Path("ann.token").read_text(), Path("tokens.yaml").exists()) == ("somebody's", False)
    said("new", "--name", "ann", "--role", "operator")
    assert said("new", "--name", "ann", "--role", "operator", "--out", "new.token").exit_code == 1
    assert not Path("new.token").exists()


def test_no_two_secrets_are_alike_and_all_are_listed() -> None:
    secrets = {said("new", "--name", name, "--role", "viewer", "--tokens", "t.yaml").stdout for name in ("ann", "ben")}
    assert len(secrets) == 2
    assert json.loads(said("list", "--tokens", "t.yaml", "--json").stdout) == {
        "tokens": [{"name": "ann", "role": "viewer"}, {"name": "ben", "role": "viewer"}]
    }
    assert said("list", "--tokens", "t.yaml").stdout == "viewer    ann\nviewer    ben\n"


def test_a_revoked_token_is_gone_and_the_others_stay() -> None:
    for name in ("ann", "ben"):
        said("new", "--name", name, "--role", "viewer")
    assert said("revoke", "ann").exit_code == 0
    assert [grant.name for grant in read_grants(Path("tokens.yaml"))] == ["ben"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("new", "--name", "ann", "--role", "viewer"), "has a token named ann: revoke it first"),
        (("new", "--name", "a b", "--role", "viewer"), "'a b' is no name of a token"),
        (("new", "--name", "ben", "--role", "root"), "'root' is not one of"),
        (("revoke", "ben"), "no token named ben: it has ann"),
        (("list", "--tokens", "none"), "the token file none cannot be read"),
    ],
)
def test_what_cannot_be_is_one_clear_line(words: tuple[str, ...], fault: str) -> None:
    said("new", "--name", "ann", "--role", "viewer")
    refused = said(*words)
    assert refused.exit_code != 0
    assert fault in refused.stderr
    assert len(read_grants(Path("tokens.yaml"))) == 1
