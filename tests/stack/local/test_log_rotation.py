from pathlib import Path

from stack.local.log_rotation import rotate, start_afresh


def test_a_large_log_is_set_aside_while_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"x" * 100)
        rotate(tmp_path, limit=50)
        writer.write(b"new")
    assert log.read_bytes() == b"new"
    assert (tmp_path / "a.log.1").read_bytes() == b"x" * 100


def test_a_small_log_stays(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"x")
    rotate(tmp_path, limit=50)
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]


def test_a_new_run_begins_with_new_logs(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"old")
    (tmp_path / "b.log").touch()
    start_afresh(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log.1", "b.log"]
