"""Our router as it is measured."""

import sys
from pathlib import Path

from stack.bench.router.subjects import Own, Subject
from stack.control.state import Dpd, ModelState
from stack.model.target import decode
from stack.wiring.router_options import desired_from


def test_our_router_is_started_as_anybody_would(tmp_path: Path) -> None:
    argv = Own(tmp_path, "http://127.0.0.1:9").command("prefix_aware", 7000)
    assert argv == (
        sys.executable, "-m", "stack.cli.main", "router", "--listen", "127.0.0.1:7000", "--id", "bench-prefix_aware-1",
        "--targets", str(tmp_path / "engines.json"), "--config", str(tmp_path / "prefix_aware.yaml"),
        "--secret-file", str(tmp_path / "secret"), "--control-url", "http://127.0.0.1:9",
    )  # fmt: skip
    desired = desired_from((tmp_path / "prefix_aware.yaml").read_bytes())
    assert desired is not None
    assert desired.models == {"canned": ModelState(strategy="prefix_aware", dpd=Dpd(enabled=False))}


def test_several_workers_are_asked_for(tmp_path: Path) -> None:
    argv = Own(tmp_path, "http://127.0.0.1:9").command("prefix_aware", 7000, 4)
    assert argv[argv.index("--workers") + 1] == "4"


def test_its_fleet_is_the_back_ends(tmp_path: Path) -> None:
    Own(tmp_path, "").prepare(["http://127.0.0.1:1", "http://127.0.0.1:2"])
    targets = decode((tmp_path / "engines.json").read_bytes())
    assert [(target.replica, target.url) for target in targets] == [
        ("decode-0", "http://127.0.0.1:1"),
        ("decode-1", "http://127.0.0.1:2"),
    ]


def test_a_subject_answers_on_loopback() -> None:
    assert Subject("ours", "kvdeck", "1", (), 7000).url == "http://127.0.0.1:7000"
