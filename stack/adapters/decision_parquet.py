"""A file of decisions, one JSON document a line, as a Parquet file: a column a figure, what is nested as JSON text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from stack.control.decision import DecisionRecord

_ABSENT = msgspec.Raw(b"")
ROWS = 2_000  # of a row group: what is in memory at once
_KINDS: dict[type[msgspec.inspect.Type], pa.DataType] = {
    msgspec.inspect.StrType: pa.string(),
    msgspec.inspect.IntType: pa.int64(),
    msgspec.inspect.FloatType: pa.float64(),
    msgspec.inspect.BoolType: pa.bool_(),
}


def _kind(field: msgspec.inspect.Field) -> pa.DataType | None:
    """The type of a plain figure's column, None for what is nested."""
    kinds = getattr(field.type, "types", (field.type,))
    return next((_KINDS[type(kind)] for kind in kinds if type(kind) in _KINDS), None)


_TYPE = msgspec.inspect.type_info(DecisionRecord)
assert isinstance(_TYPE, msgspec.inspect.StructType)
_FIELDS = {field.name: (field, _kind(field)) for field in _TYPE.fields}
SCHEMA = pa.schema([pa.field(name, kind or pa.string()) for name, (_, kind) in _FIELDS.items()])
_NESTED = [name for name, (_, kind) in _FIELDS.items() if kind is None]


def _line() -> type[msgspec.Struct]:
    """A record as a line has it: nothing that is nested is taken apart."""
    types = {field.name: field.type for field in msgspec.structs.fields(DecisionRecord)}
    fields: list[tuple[str, Any, Any]] = []
    for name, (field, kind) in _FIELDS.items():
        absent = None if field.default is msgspec.NODEFAULT else field.default
        fields.append((name, types[name] | None, absent) if kind is not None else (name, msgspec.Raw, _ABSENT))
    return msgspec.defstruct("Line", fields, kw_only=True)


_DECODER = msgspec.json.Decoder(_line())


def pack(lines: Path) -> None:
    """Replace `lines` by a Parquet file of the same name. Raises OSError, ValueError; then `lines` stays."""
    final = lines.with_suffix(".parquet")
    unfinished = final.with_suffix(".part")
    try:
        with pq.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
            for table in _tables(lines):
                writer.write_table(table)
        unfinished.replace(final)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    lines.unlink()


def _tables(lines: Path) -> Iterator[pa.Table]:
    with lines.open("rb") as file:
        while group := list(islice(file, ROWS)):
            rows = list(_rows(group))
            yield pa.Table.from_arrays([_column(rows, column) for column in SCHEMA], schema=SCHEMA)


def _rows(lines: list[bytes]) -> Iterator[Any]:
    for line in lines:
        try:
            yield _DECODER.decode(line)
        except msgspec.DecodeError:  # half a line, after a crash
            continue


def _column(rows: list[Any], column: pa.Field) -> pa.Array:
    values = [getattr(row, column.name) for row in rows]
    if column.name in _NESTED:
        values = [bytes(value).decode() or None for value in values]
    return pa.array(values, type=column.type)
