"""Whose engines are read, and what is known of them."""

from pathlib import Path

from exporters.fleet import Fleet
from stack.model.target import Target
from stack.model.tier import Pool


def known(fleet: Fleet) -> list[tuple[str, str, Pool, str, str]]:
    return [(one.replica, one.url, one.pool, one.model, one.model_root) for one in fleet.now()]


def test_a_file_for_prometheus_alone_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "engines.json"
    file.write_text('[{"targets": ["10.0.0.1:8000"], "labels": {"pod": "llm-0"}}, {"targets": ["10.0.0.2:8000", "10.0.0.3:8000"]}]')
    fleet = Fleet(file, {"extra": "http://10.0.0.9:8000"})
    fleet.refresh()
    assert known(fleet) == [
        ("llm-0", "http://10.0.0.1:8000", Pool.DECODE, "", ""),
        ("10.0.0.2:8000", "http://10.0.0.2:8000", Pool.DECODE, "", ""),
        ("10.0.0.3:8000", "http://10.0.0.3:8000", Pool.DECODE, "", ""),
        ("extra", "http://10.0.0.9:8000", Pool.DECODE, "", ""),
    ]


def test_what_an_engine_says_of_its_model_counts_where_the_list_is_silent(tmp_path: Path) -> None:
    file = tmp_path / "engines.json"
    file.write_text('[{"targets": ["a:1"], "labels": {"model": "listed"}}, {"targets": ["b:1"], "labels": {}}]')
    fleet = Fleet(file, {})
    fleet.refresh()
    for replica in ("a:1", "b:1"):
        fleet.learn(replica, "told", "/told")
    assert [(one.model, one.model_root) for one in fleet.now()] == [("listed", "listed"), ("told", "/told")]


def test_without_a_file_the_named_engines_are_all() -> None:
    fleet = Fleet(None, {"a": "http://a"})
    fleet.refresh()
    assert fleet.now() == [Target(replica="a", url="http://a", pool=Pool.DECODE, model="", model_root="")]
