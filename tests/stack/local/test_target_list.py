import threading
from pathlib import Path

from stack.local.target_list import TargetList
from stack.model.target import Target, decode
from stack.model.tier import Pool


def target(number: int) -> Target:
    return Target(replica=f"decode-{number}", url=f"http://127.0.0.1:{8100 + number}", pool=Pool.DECODE, model="m", model_root="/m")


def test_it_is_written_as_prometheus_wants_it(tmp_path: Path) -> None:
    targets = TargetList(tmp_path / "engines.json")
    targets.write()
    assert decode((tmp_path / "engines.json").read_bytes()) == []
    targets.put(target(1))
    targets.put(target(0))
    assert decode((tmp_path / "engines.json").read_bytes()) == [target(0), target(1)]
    targets.drop("decode-0")
    assert decode((tmp_path / "engines.json").read_bytes()) == [target(1)]
    targets.clear()
    assert decode((tmp_path / "engines.json").read_bytes()) == []


def test_an_engine_that_serves_again_changes_nothing(tmp_path: Path) -> None:
    targets = TargetList(tmp_path / "engines.json")
    targets.put(target(0))
    before = (tmp_path / "engines.json").stat().st_ino
    targets.put(target(0))
    assert (tmp_path / "engines.json").stat().st_ino == before


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "engines.json"
    targets = TargetList(path)
    targets.write()
    done = threading.Event()
    seen: set[int] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(len(decode(path.read_bytes())))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(300):
        targets.put(target(number % 20))
        targets.drop(f"decode-{(number + 7) % 20}")
    done.set()
    reader.join()
    assert seen  # every read was a whole document, or decode would have raised in the thread
    assert [entry.name for entry in tmp_path.iterdir()] == ["engines.json"]
