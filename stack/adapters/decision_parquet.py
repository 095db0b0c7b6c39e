"""A file of decisions, one JSON document a line, as a Parquet file: a column a figure, what is nested as JSON text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from stack.control.decision import DecisionRecord

ROWS = 2_000  # of a row group: what is in memory at once
_KINDS = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}


def _column(field: msgspec.inspect.Field) -> pa.Field:
    kinds = getattr(field.type, "types", (field.type,))
    plain = [kind for kind in kinds if not isinstance(kind, msgspec.inspect.NoneType)]
    name = type(plain[0]).__name__.removesuffix("Type").lower()
    return pa.field(field.name, _KINDS.get(name, pa.string()))


_TYPE = msgspec.inspect.type_info(DecisionRecord)
assert isinstance(_TYPE, msgspec.inspect.StructType)
SCHEMA = pa.schema([_column(field) for field in _TYPE.fields])


def pack(lines: Path) -> None:
    """Replace `lines` by a Parquet file of the same name. Raises OSError, ValueError; then `lines` stays."""
    final = lines.with_suffix(".parquet")
    unfinished = final.with_suffix(".part")
    try:
        with pq.ParquetWriter(unfinished, SCHEMA, compression="zstd") as writer:
            for rows in _groups(lines):
                writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))
        unfinished.replace(final)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    lines.unlink()


def _groups(lines: Path) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    with lines.open("rb") as file:
        for line in file:
            try:
                rows.append(_row(msgspec.json.decode(line, type=DecisionRecord)))
            except msgspec.DecodeError:  # half a line, after a crash
                continue
            if len(rows) == ROWS:
                yield rows
                rows = []
    if rows:
        yield rows


def _row(record: DecisionRecord) -> dict[str, Any]:
    return {column.name: _cell(getattr(record, column.name), column) for column in SCHEMA}


def _cell(value: Any, column: pa.Field) -> Any:
    if value is None or not pa.types.is_string(column.type) or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
