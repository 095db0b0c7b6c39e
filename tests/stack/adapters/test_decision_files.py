"""Decisions in files: whole lines, new files, room for new ones; what cannot be written is counted and nothing else happens."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from stack.adapters.decision_files import DecisionFiles, Rotation
from stack.adapters.decision_parquet import pack
from stack.control.ports import LogState
from tests.decisions import decision, disaggregated


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(files: DecisionFiles, *documents: bytes) -> None:
    files.offer(documents)
    files.write(files.taken())


def test_decisions_are_written_a_line_each(tmp_path: Path) -> None:
    files = DecisionFiles(tmp_path / "new", Clock(), Rotation())
    write(files, b'{"a":1}', b'{"a":2}')
    write(files, b'{"a":3}')
    files.close()
    (path,) = (tmp_path / "new").iterdir()
    assert (path.name, path.read_bytes()) == ("decisions-20231114T221320.000000Z.jsonl", b'{"a":1}\n{"a":2}\n{"a":3}\n')
    assert files.state() == LogState(folder=str(tmp_path / "new"), format="jsonl", written=3, lost=0)


def test_a_new_file_begins_by_size_and_by_age_and_the_oldest_ones_go(tmp_path: Path) -> None:
    clock = Clock()
    files = DecisionFiles(tmp_path, clock, Rotation(file_bytes=8, file_seconds=60.0, total_bytes=20))
    for number in range(4):
        write(files, b"1234567")
        clock.now += 1.0 + number
    write(files, b"12")
    clock.now += 60.0
    write(files)
    assert names(tmp_path) == [f"decisions-20231114T2213{second}.000000Z.jsonl" for second in ("23", "26", "30")]


def test_a_full_disk_is_counted_and_told_until_it_is_over(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.write_text("a file is in the way")
    files = DecisionFiles(folder, Clock(), Rotation())
    write(files, b"1", b"2")
    state = files.state()
    assert (state.written, state.lost, "exists" in (state.error or "")) == (0, 2, True)
    folder.unlink()
    write(files, b"3")
    files.close()
    assert (files.state().written, files.state().lost, files.state().error) == (1, 2, None)


def test_half_a_line_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = DecisionFiles(tmp_path, Clock(), Rotation())
    write(files, b"whole")

    class Full:
        def __init__(self, path: Path) -> None:
            self._file = path.open("ab", buffering=0)
            self.tell, self.close = self._file.tell, self._file.close

        def write(self, text: memoryview) -> int:
            self._file.write(text[:3])
            raise OSError(28, "No space left on device")

    files.close()
    (path,) = tmp_path.iterdir()
    files._file = Full(path)  # type: ignore[assignment]  # a disk that fills up
    write(files, b"torn")
    assert path.read_bytes() == b"whole\n"
    assert files.state().error == "[Errno 28] No space left on device"


def test_what_waits_for_a_slow_disk_is_bounded() -> None:
    files = DecisionFiles(Path("/nowhere"), Clock(), Rotation(waiting_bytes=5))
    files.offer([b"123"])
    files.offer([b"456", b"7"])
    assert (files.taken(), files.state().lost) == ([b"123"], 2)


async def test_what_waits_at_the_end_is_written(tmp_path: Path) -> None:
    files = DecisionFiles(tmp_path, Clock(), Rotation(write_seconds=0.001))
    task = asyncio.create_task(files.run())
    files.offer([b"1"])
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [(tmp_path / name).read_bytes() for name in names(tmp_path)] == [b"1\n"]


def test_a_closed_file_becomes_parquet_and_half_a_line_of_a_crash_is_left_out(tmp_path: Path) -> None:
    left = tmp_path / "decisions-1.jsonl"
    records = (
        decision(request_id="a", phases={"router": 0.5}),
        disaggregated(request_id="b", fallbacks=("x", "y"), ttft_seconds=0.25),
    )
    left.write_bytes(b"\n".join(msgspec.json.encode(record) for record in records) + b'\n{"request_id":"c')
    files = DecisionFiles(tmp_path, Clock(), Rotation(), pack)
    files._guarded(files._begin)
    assert (names(tmp_path), files.state().format) == (["decisions-1.parquet"], "parquet")
    rows = pq.read_table(tmp_path / "decisions-1.parquet").to_pylist()
    assert [(row["request_id"], row["path"], row["ttft_seconds"]) for row in rows] == [("a", "direct", None), ("b", "dpd", 0.25)]
    assert (rows[0]["phases"], rows[1]["fallbacks"], rows[0]["prefill"]) == ('{"router":0.5}', '["x","y"]', None)
    assert msgspec.json.decode(rows[1]["prefill"])["engine"] == "prefill-0"


def test_a_file_that_cannot_be_packed_stays(tmp_path: Path) -> None:
    def refuse(path: Path) -> None:
        raise OSError("no room")

    files = DecisionFiles(tmp_path, Clock(), Rotation(file_bytes=1), refuse)
    write(files, b"1")
    assert (names(tmp_path), files.state().error) == (["decisions-20231114T221320.000000Z.jsonl"], "no room")
