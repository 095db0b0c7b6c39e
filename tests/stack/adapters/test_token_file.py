from __future__ import annotations

from pathlib import Path

import pytest

from stack.adapters.bearer import TokenFileError
from stack.adapters.token_file import TokenFiles, read_grants
from stack.control.access import Role
from stack.wiring.token import write
from tests.grants import grant
from tests.stack.api.deck import Clock

ANN, BEN = grant("ann", Role.OPERATOR), grant("ben", Role.VIEWER)


def files(*paths: Path) -> tuple[TokenFiles, Clock]:
    clock = Clock()
    return TokenFiles(paths, clock), clock


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "new" / "tokens.yaml", [ANN, BEN])
    assert read_grants(tmp_path / "new" / "tokens.yaml") == (ANN, BEN)
    assert (tmp_path / "new" / "tokens.yaml").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "fault"),
    [(None, "cannot be read"), ("[", "cannot be read"), ("tokens: [{}]", "cannot be read"), ("secret\n", "cannot be read")],
)
def test_what_is_no_file_of_tokens_is_said(tmp_path: Path, text: str | None, fault: str) -> None:
    if text is not None:
        (tmp_path / "t").write_text(text)
    with pytest.raises(TokenFileError, match=fault):
        read_grants(tmp_path / "t")


def test_a_file_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "t", [ANN])
    (tmp_path / "t").chmod(0o620)
    with pytest.raises(TokenFileError, match="chmod go-w"):
        read_grants(tmp_path / "t")


def test_no_two_tokens_share_a_name_in_one_file_or_in_two(tmp_path: Path) -> None:
    write(tmp_path / "a", [ANN, ANN])
    with pytest.raises(TokenFileError, match="two tokens are named ann"):
        read_grants(tmp_path / "a")
    write(tmp_path / "a", [ANN])
    write(tmp_path / "b", [ANN])
    with pytest.raises(TokenFileError, match="two tokens are named ann"):
        files(tmp_path / "a", tmp_path / "b")


def test_a_changed_file_counts_within_a_second(tmp_path: Path) -> None:
    write(tmp_path / "a", [ANN])
    write(tmp_path / "b", [])
    tokens, clock = files(tmp_path / "a", tmp_path / "b")
    assert tokens.grants() == (ANN,)
    write(tmp_path / "b", [BEN])
    assert tokens.grants() == (ANN,)
    clock.advance(1.0)
    assert tokens.grants() == (ANN, BEN)


def test_a_file_that_went_bad_leaves_tokens_as_they_were_and_is_counted(tmp_path: Path) -> None:
    write(tmp_path / "a", [ANN])
    tokens, clock = files(tmp_path / "a")
    (tmp_path / "a").write_text("tokens: [{")
    clock.advance(1.0)
    assert (tokens.grants(), tokens.faults) == ((ANN,), 1)
    (tmp_path / "a").unlink()
    clock.advance(1.0)
    assert (tokens.grants(), tokens.faults) == ((ANN,), 2)
    write(tmp_path / "a", [BEN])
    clock.advance(1.0)
    assert (tokens.grants(), tokens.faults) == ((BEN,), 2)


def test_control_does_not_start_on_a_bad_file(tmp_path: Path) -> None:
    with pytest.raises(TokenFileError):
        files(tmp_path / "none")
