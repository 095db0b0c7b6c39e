"""The target file is read anew when it changes, and only when it is well-formed."""

import asyncio
import os
from pathlib import Path

import pytest

from stack.adapters.target_file import TargetFile, check
from stack.model.target import Target, TargetFileError, encode
from stack.model.tier import Pool


def _target(replica: str) -> Target:
    return Target(replica=replica, url="http://127.0.0.1:8100", pool=Pool.DECODE, model="m", model_root="/m")


def _replace(path: Path, document: bytes) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_bytes(document)
    os.replace(fresh, path)


def test_a_missing_file_says_nothing(tmp_path: Path) -> None:
    assert TargetFile(tmp_path / "engines.json").changed() is None


def test_targets_come_once_for_each_change(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    watched = TargetFile(path)
    _replace(path, encode([_target("decode-0")]))
    assert watched.changed() == [_target("decode-0")]
    assert watched.changed() is None
    _replace(path, encode([_target("decode-0"), _target("decode-1")]))
    assert watched.changed() == [_target("decode-0"), _target("decode-1")]


def test_a_malformed_file_changes_nothing_and_is_read_again_when_mended(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    watched = TargetFile(path)
    _replace(path, encode([_target("decode-0")]))
    watched.changed()
    _replace(path, b"{ not json")
    assert watched.changed() is None
    _replace(path, encode([]))
    assert watched.changed() == []


def test_a_malformed_file_is_complained_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "engines.json"
    watched = TargetFile(path)
    for document in (b"{ not json", b"{ not json either"):
        _replace(path, document)
        for _ in range(2):
            assert watched.changed() is None
            assert not watched.readable
    assert [record.message for record in caplog.records] == ["target file unreadable"] * 2


def test_a_file_that_vanishes_changes_nothing_and_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "engines.json"
    watched = TargetFile(path)
    _replace(path, encode([_target("decode-0")]))
    watched.changed()
    path.unlink()
    for _ in range(3):
        assert watched.changed() is None
    told = [(record.message, record.__dict__["path"]) for record in caplog.records]
    assert (told, watched.readable) == ([("target file unreadable", str(path))], False)
    assert watched.fault == f"{path}: No such file or directory"
    _replace(path, encode([]))
    assert watched.changed() == []
    assert watched.readable


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (None, "No such file or directory"),
        (b"{ not json", "target file: Expected `array`, got `object`"),
        (b'[{"targets": ["a:1"], "labels": {"replica": "decode-0", "pool": "decode"}}]', "target a:1: label 'model' is missing"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path, document: bytes | None, told: str) -> None:
    path = tmp_path / "engines.json"
    if document is not None:
        path.write_bytes(document)
    with pytest.raises(TargetFileError) as refused:
        check(path)
    assert str(refused.value).startswith(f"{path}: {told}")


async def test_watching_tells_of_every_change(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    _replace(path, encode([_target("decode-0")]))
    told: asyncio.Queue[list[str]] = asyncio.Queue()
    watching = asyncio.create_task(TargetFile(path).watch(0.001, lambda ts: told.put_nowait([t.replica for t in ts])))
    async with asyncio.timeout(60):
        assert await told.get() == ["decode-0"]
        _replace(path, encode([]))
        assert await told.get() == []
    watching.cancel()
