"""The header of a GGUF file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from stack.local.install.model_header import HeaderError, read_header
from tests.stack.local.install.gguf_file import HEADER, write_gguf


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    assert read_header(write_gguf(tmp_path / "a.gguf")) == HEADER


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"PK\3\4 and more", "is no GGUF file"),
        (b"GGUF" + struct.pack("<I", 9), "GGUF version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + b"\5", "ends inside its header"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 40), "a string of 1099511627776 bytes"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 99), "value type 99 is unknown"),
    ],
)
def test_another_file_is_refused_with_the_place(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "a.gguf").write_bytes(content)
    with pytest.raises(HeaderError, match=fault):
        read_header(tmp_path / "a.gguf")
