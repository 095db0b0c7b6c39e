"""Reads the header of a GGUF model file: what it says about itself, its tokenizer among it. Tensors are left alone."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

Value: TypeAlias = "int | float | bool | str | list[Value]"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING_LIMIT = 1 << 20  # bytes; a longer one means that this is not the file it should be
# Type number -> struct code, in the order of the format's table; 8 is a string and 9 an array.
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9


class HeaderError(ValueError):
    """The file is not a GGUF file this reader knows; the message says where it stopped."""


def read_header(path: Path) -> dict[str, Value]:
    """Every key and value of the file's header. Raises HeaderError, or OSError when it cannot be read."""
    with path.open("rb") as file:
        if _take(file, 4) != _MAGIC:
            raise HeaderError(f"{path.name} is no GGUF file")
        version = _scalar(file, "<I")
        if version not in _VERSIONS:
            raise HeaderError(f"{path.name}: GGUF version {version}; known: {_VERSIONS}")
        _scalar(file, "<Q")  # the number of tensors
        return {_string(file): _value(file, int(_scalar(file, "<I"))) for _ in range(int(_scalar(file, "<Q")))}


def _value(file: BinaryIO, kind: int) -> Value:
    if kind == _ARRAY:
        item, count = int(_scalar(file, "<I")), int(_scalar(file, "<Q"))
        read = _reader(item)
        return [read(file) for _ in range(count)]
    return _reader(kind)(file)


def _reader(kind: int) -> Callable[[BinaryIO], Value]:
    if kind == _STRING:
        return _string
    if kind not in _SCALARS:
        raise HeaderError(f"value type {kind} is unknown")
    code = _SCALARS[kind]
    return lambda file: _scalar(file, code)


def _string(file: BinaryIO) -> str:
    length = int(_scalar(file, "<Q"))
    if length > _STRING_LIMIT:
        raise HeaderError(f"a string of {length} bytes at offset {file.tell()}")
    return _take(file, length).decode()


def _scalar(file: BinaryIO, code: str) -> int | float | bool:
    value: int | float | bool = struct.unpack(code, _take(file, struct.calcsize(code)))[0]
    return value


def _take(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise HeaderError(f"the file ends inside its header, at offset {file.tell()}")
    return data
