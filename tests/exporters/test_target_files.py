"""Several target files, and patterns of them."""

import json
from pathlib import Path

from exporters.target_files import TargetFiles
from stack.model.tier import Pool


def write(path: Path, *addresses: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps([{"targets": addresses}]))
    fresh.replace(path)


def replicas(files: TargetFiles) -> list[str] | None:
    found = files.changed()
    return None if found is None else [target.replica for target in found]


def test_files_that_match_come_change_and_go(tmp_path: Path) -> None:
    files = TargetFiles([str(tmp_path / "*.json")])
    assert replicas(files) is None
    write(tmp_path / "b.json", "b:1")
    write(tmp_path / "a.json", "a:1", "a:2")
    assert replicas(files) == ["a:1", "a:2", "b:1"]
    assert replicas(files) is None
    write(tmp_path / "a.json", "a:3")
    assert replicas(files) == ["a:3", "b:1"]
    (tmp_path / "b.json").unlink()
    assert replicas(files) == ["a:3"]


def test_a_broken_file_leaves_what_it_said_before_and_a_named_one_may_be_missing(tmp_path: Path) -> None:
    named, matched = tmp_path / "named.json", tmp_path / "m" / "x.json"
    matched.parent.mkdir()
    files = TargetFiles([str(named), str(matched.parent / "*")])
    for path in (named, matched):
        write(path, f"{path.stem}:1")
    assert replicas(files) == ["named:1", "x:1"]
    named.unlink()
    matched.write_text("[{")
    assert replicas(files) is None
    write(named, "named:2")
    assert replicas(files) == ["named:2", "x:1"]


def test_yaml_says_the_same_and_its_numbers_are_strings(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yml"
    file.write_text("""
        - targets: [10.0.0.1:8000]
          labels: {pod: llm-0, pool: prefill, __scheme__: https, __metrics_path__: /vllm/metrics, zone: 1}
        - targets: [10.0.0.2:8000]
          labels: {pool: gpu-a}
    """)
    found = TargetFiles([str(file)]).changed() or []
    assert [(one.replica, one.url, one.metrics_path, one.pool) for one in found] == [
        ("llm-0", "https://10.0.0.1:8000", "/vllm/metrics", Pool.PREFILL),
        ("10.0.0.2:8000", "http://10.0.0.2:8000", "/metrics", Pool.DECODE),
    ]


def test_a_file_that_is_no_list_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    for document in ("{", "targets: x", "- targets: {a: 1}"):
        file.write_text(document)
        assert TargetFiles([str(file)]).changed() is None
