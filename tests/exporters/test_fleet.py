"""Whose engines are read, and what is known of them."""

from collections.abc import Iterable
from pathlib import Path

from exporters.fleet import Fleet, Source, health
from exporters.target_files import TargetFiles
from stack.engines.samples import Histogram
from stack.metrics.family import Label
from stack.model.target import Target
from stack.model.tier import Pool


def known(fleet: Fleet) -> list[tuple[str, str, Pool, str, str]]:
    return [(one.replica, one.url, one.pool, one.model, one.model_root) for one in fleet.now()]


def test_a_file_for_prometheus_alone_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "engines.json"
    file.write_text('[{"targets": ["10.0.0.1:8000"], "labels": {"pod": "llm-0"}}, {"targets": ["10.0.0.2:8000", "10.0.0.3:8000"]}]')
    fleet = Fleet([TargetFiles([str(file)])], {"extra": "http://10.0.0.9:8000"})
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
    fleet = Fleet([TargetFiles([str(file)])], {})
    fleet.refresh()
    for replica in ("a:1", "b:1"):
        fleet.learn(replica, "told", "/told")
    assert [(one.model, one.model_root) for one in fleet.now()] == [("listed", "listed"), ("told", "/told")]


def test_without_a_file_the_named_engines_are_all() -> None:
    fleet = Fleet([], {"a": "http://a"})
    fleet.refresh()
    assert fleet.now() == [Target(replica="a", url="http://a", pool=Pool.DECODE, model="", model_root="")]


class Listed:
    """Says its targets once."""

    mechanism = "kubernetes"

    def __init__(self, *targets: Target, healthy: bool = True) -> None:
        self.targets: list[Target] | None = list(targets)
        self.healthy = healthy

    def changed(self) -> list[Target] | None:
        targets, self.targets = self.targets, None
        return targets


def engine(replica: str, address: str, **more: str) -> Target:
    return Target(replica=replica, url=f"http://{address}", pool=Pool.DECODE, model="", model_root="", **more)  # type: ignore[arg-type]  # strings only


def names(targets: Iterable[Target]) -> dict[str, str]:
    return {target.replica: target.url for target in targets}


def test_what_one_list_says_leaves_the_others_as_they_are() -> None:
    first, second = Listed(engine("a", "a:1")), Listed(engine("b", "b:1"))
    fleet = Fleet([first, second], {})
    fleet.refresh()
    first.targets = [engine("c", "c:1")]
    fleet.refresh()
    assert names(fleet.now()) == {"c": "http://c:1", "b": "http://b:1"}


def test_a_pod_of_two_ports_is_two_engines_told_apart_by_them() -> None:
    fleet = Fleet(
        [Listed(engine("llm-0", "10.0.0.1:8000"), engine("llm-0", "10.0.0.1:8001"), engine("llm-1", "10.0.0.2:8000"))], {}
    )
    fleet.refresh()
    assert names(fleet.now()) == {
        "llm-0:8000": "http://10.0.0.1:8000", "llm-0:8001": "http://10.0.0.1:8001", "llm-1": "http://10.0.0.2:8000",
    }  # fmt: skip


def test_engines_that_share_name_and_port_are_told_apart_by_their_addresses() -> None:
    fleet = Fleet([Listed(engine("0", "10.0.0.1:8000"))], {"0": "http://10.0.0.2:8000"})
    fleet.refresh()
    assert names(fleet.now()) == {"0:10.0.0.1:8000": "http://10.0.0.1:8000", "0:10.0.0.2:8000": "http://10.0.0.2:8000"}


def test_an_address_counts_once_as_the_last_list_tells_it() -> None:
    fleet = Fleet([Listed(engine("a", "10.0.0.1:1")), Listed(engine("b", "10.0.0.1:1"))], {})
    fleet.refresh()
    assert names(fleet.now()) == {"b": "http://10.0.0.1:1"}


def test_lists_of_one_mechanism_are_well_when_all_of_them_are(tmp_path: Path) -> None:
    file = tmp_path / "engines.json"
    sources: list[Source] = [TargetFiles([str(file)]), Listed(), Listed(healthy=False), Listed()]
    fleet = Fleet(sources, {})

    def told() -> dict[str, float | Histogram]:
        fleet.refresh()
        return {point.labels[Label.MECHANISM]: point.value for point in health(sources)}

    assert told() == {"file": 0.0, "kubernetes": 0.0}
    file.write_text("[]")
    assert told() == {"file": 1.0, "kubernetes": 0.0}
    assert told()["file"] == 1.0
    file.write_text("[{")
    assert told()["file"] == told()["file"] == 0.0


def test_an_engine_whose_pod_has_an_lmcache_server_is_known_to_use_it() -> None:
    servers: dict[str, str] = {}
    fleet = Fleet([Listed(engine("a", "a:1"), engine("b", "b:1"), engine("c", "c:1", cache_server="l"))], {}, servers)
    fleet.refresh()
    servers |= {"a": "http://a:8080", "c": "http://c:8080"}
    fleet.refresh()
    assert {one.replica: one.cache_server for one in fleet.now()} == {"a": "a", "b": None, "c": "l"}
