"""Prometheus with rules at another pace, for a while."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest
import yaml

from stack.drill.drill import DrillError
from stack.drill.monitoring import Monitoring
from stack.drill.quick import Pace

RULES = {"groups": [{"name": "a", "rules": [{"alert": "KvdeckX", "expr": "x", "for": "5m"}]}]}
REASONS = {"up": "", "down": "context deadline exceeded"}
QUICK = {"groups": [{"name": "a", "rules": [{"alert": "KvdeckX", "expr": "x", "for": "30s"}]}]}


class Prometheus:
    """Reads its file when told, if it `obeys`; Alertmanager beside it has three alerts."""

    def __init__(self, folder: Path, obeys: bool = True) -> None:
        self.file, self.obeys, self.now = folder / "prometheus.yml", obeys, 0.0
        self.rules = folder / "rules"
        self.rules.mkdir()
        (self.rules / "x.yaml").write_text(yaml.safe_dump(RULES))
        self.file.write_text(yaml.safe_dump({"global": {"scrape_interval": "5s"}, "rule_files": [f"{self.rules}/*.yaml"]}))
        self.loaded = self.file.read_text()
        self.http = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))

    def reload(self) -> None:
        if self.obeys:
            self.loaded = self.file.read_text()

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v2/alerts":
            own, drills = {"alertname": "KvdeckX"}, {"alertname": "KvdeckX", "drill": "kvdeck"}
            down, up = drills | {"instance": "e:1"}, drills | {"instance": "d:1"}
            told = [(down, "X of e"), (up, "X of d"), (drills, "X of d"), (own, "X"), ({"alertname": "KvdeckY"}, None)]
            return _answer([{"labels": labels, "annotations": {"summary": said} if said else {}} for labels, said in told])
        if request.url.path == "/api/v1/targets":
            found = [({"job": "engines", "replica": "d"}, "up"), ({"job": "engines", "replica": "e"}, "down"), ({"job": "x"}, "up")]
            places = {"d": "d:1", "e": "e:1"}
            targets = [
                {
                    "labels": {**labels, "instance": places.get(labels.get("replica", ""), "x:1")},
                    "health": health,
                    "lastError": REASONS[health],
                }
                for labels, health in found
            ]
            return _answer({"data": {"activeTargets": targets}})
        return _answer({"data": {"yaml": self.loaded}})

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    @property
    def monitoring(self) -> Monitoring:
        return Monitoring(
            http=self.http, prometheus="http://p", alertmanager="http://a", reload=self.reload, configuration=self.file,
            rules=self.rules, folder=self.file.parent / "quick", clock=lambda: self.now, sleep=self.sleep,
        )  # fmt: skip


def _answer(document: object) -> httpx.Response:
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps(document).encode()))


def test_prometheus_has_marked_rules_at_the_pace_meanwhile_and_its_own_afterwards(tmp_path: Path) -> None:
    prometheus = Prometheus(tmp_path)
    before = prometheus.loaded

    async def play() -> None:
        async with prometheus.monitoring.at(Pace(10)) as rules:
            assert tuple(rules) == (QUICK,)
            assert yaml.safe_load(prometheus.loaded) == {
                "global": {"scrape_interval": "5s", "external_labels": {"drill": "kvdeck"}},
                "rule_files": [str(tmp_path / "quick" / "x.yaml")],
            }
            assert yaml.safe_load((tmp_path / "quick" / "x.yaml").read_text()) == QUICK
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        asyncio.run(play())
    assert prometheus.loaded == prometheus.file.read_text() == before


def test_at_their_own_pace_rules_stay_as_they_are(tmp_path: Path) -> None:
    prometheus = Prometheus(tmp_path, obeys=False)

    async def play() -> None:
        async with prometheus.monitoring.at(Pace(1)) as rules:
            assert tuple(rules) == (RULES,)

    asyncio.run(play())


def test_a_prometheus_that_does_not_take_the_rules_gets_its_own_back_and_is_told_of(tmp_path: Path) -> None:
    prometheus = Prometheus(tmp_path, obeys=False)
    before = prometheus.loaded

    async def play() -> None:
        async with prometheus.monitoring.at(Pace(10)):
            raise AssertionError("they were not taken")

    with pytest.raises(DrillError, match="does not take"):
        asyncio.run(play())
    assert prometheus.file.read_text() == before


def test_only_alerts_of_the_drills_own_rules_count_and_tell_what_they_say(tmp_path: Path) -> None:
    monitoring = Prometheus(tmp_path).monitoring
    assert asyncio.run(monitoring.firing(Pace(10))) == {"KvdeckX": "X of d; X of e (context deadline exceeded)"}
    assert asyncio.run(monitoring.firing(Pace(1))) == {"KvdeckX": "X; X of d; X of e (context deadline exceeded)", "KvdeckY": ""}


def test_engines_are_up_or_not_as_prometheus_scraped_them(tmp_path: Path) -> None:
    assert asyncio.run(Prometheus(tmp_path).monitoring.up()) == {"d": True, "e": False}
