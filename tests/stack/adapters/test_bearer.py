from __future__ import annotations

from pathlib import Path

import pytest

from stack.adapters.bearer import TokenFileError, read_token


def test_a_token_is_the_files_text_without_its_newline(tmp_path: Path) -> None:
    file = tmp_path / "operator"
    file.write_text("s3cret\n")
    assert read_token(file) == "s3cret"
    assert read_token(None) is None


@pytest.mark.parametrize(("content", "fault"), [(b"\n", "is empty"), (b"\xff", "cannot be read"), (None, "cannot be read")])
def test_a_file_without_a_token_is_said(tmp_path: Path, content: bytes | None, fault: str) -> None:
    file = tmp_path / "operator"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(TokenFileError, match=fault):
        read_token(file)
