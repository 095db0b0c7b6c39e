"""Every expression of a dashboard, rule or autoscaling example finds series in a real Prometheus, or it is said here why not."""

import asyncio
import time
from collections.abc import Callable, Iterator

import pytest
import yaml

from dashboard.grafana.document import WINDOW
from dashboard.grafana.shapes import Needs, Panel
from stack.engines import overview_queries
from stack.engines.overview_queries import BY_ENGINES
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Label
from stack.metrics.promql import Where
from stack.metrics.queries import Query
from tests.alerts.foreign_names import foreign_names
from tests.alerts.promql_names import names
from tests.alerts.promtool import ROOT
from tests.alerts.ruleset import RECORDS
from tests.expressions.absences import CANNOT, ENGINES, LMCACHE, MISSING, SILENT
from tests.expressions.emulated import expositions
from tests.expressions.expressions import expanded, narrowed, panels, rules, selectors
from tests.expressions.feeds import DECLARED, EXPORTER, WATCHED, feeds, synthetic
from tests.expressions.questions import SILENT as UNANSWERED
from tests.expressions.questions import questions
from tests.expressions.server import Prometheus, serving

_PARTS = ("", "_bucket", "_sum", "_count")


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    at = float(int(time.time()) - 600)
    folder = tmp_path_factory.mktemp("prometheus")
    with serving(feeds(at, asyncio.run(expositions(folder))), at, folder) as found:
        yield found


def _due(panel: Panel) -> tuple[str, ...]:
    """The feeds that a panel must show something of."""
    match panel.needs:
        case Needs.NATIVE:
            return (LMCACHE,) if any("lmcache_mp_" in query.expr for query in panel.queries) else ENGINES
        case Needs.EXPORTER:
            return (EXPORTER, WATCHED, DECLARED)
        case _:
            return (DECLARED,)


def _examples() -> list[tuple[str, str]]:
    documents = [yaml.safe_load(path.read_text()) for path in sorted((ROOT / "stack" / "deploy" / "keda").glob("*.yaml"))]
    return [(each["metadata"]["name"], trigger["metadata"]["query"]) for each in documents for trigger in each["spec"]["triggers"]]


def test_every_panel_shows_something_of_every_feed_that_can_have_it(prometheus: Prometheus) -> None:
    silent, needless = [], []
    for panel in panels():
        excused = {feed: why for why, feeds in CANNOT.get(panel.title, {}).items() for feed in feeds}
        for feed in _due(panel):
            counts = [prometheus.count(narrowed(query.expr, feed)) for query in panel.queries]
            if feed in excused and all(counts):
                needless.append(f"{panel.title} shows {feed}, though {excused[feed]}")
            if feed not in excused and not any(counts):
                silent.append(f"{panel.title} shows nothing of {feed}: {[query.expr for query in panel.queries]}")
    assert silent == []
    assert needless == []


def test_every_query_of_a_panel_finds_series_in_some_feed(prometheus: Prometheus) -> None:
    fine = {"Alerts that fire", "Targets that cannot be read", "Engines held for unhealthy"}
    silent = [
        f"{panel.title}: {query.expr}"
        for panel in panels()
        if panel.title not in fine
        for query in panel.queries
        if not prometheus.count(narrowed(query.expr, ".*"))
    ]
    assert silent == []


def test_every_question_of_a_page_finds_series_in_some_feed(prometheus: Prometheus) -> None:
    silent = [name for name, query in questions().items() if not prometheus.count(query.expr)]
    assert sorted(silent) == sorted(UNANSWERED)


def test_every_rule_can_be_evaluated_and_each_of_its_selectors_finds_series(prometheus: Prometheus) -> None:
    for _, expression in rules():
        prometheus.count(expression)
    asked = {selector: rule for rule, expression in rules() for selector in selectors(expression)}
    silent = {selector: rule for selector, rule in asked.items() if not prometheus.count(selector)}
    assert {selector: rule for selector, rule in silent.items() if selector not in MISSING} == {}
    assert sorted(set(MISSING) - set(silent)) == [], "listed as missing, but found or no longer asked for"


def test_every_recording_rule_has_series_where_what_it_is_made_of_is_told(prometheus: Prometheus) -> None:
    silent = [name for name, expression in rules() if name in RECORDS and not prometheus.count(expanded(expression))]
    assert sorted(set(silent)) == sorted(SILENT)


@pytest.mark.parametrize("feed", ENGINES)
def test_every_autoscaling_example_finds_series_of_every_version(prometheus: Prometheus, feed: str) -> None:
    narrowed = {name: query.replace('server=""', f'server="", cluster="{feed}"') for name, query in _examples()}
    assert {name: prometheus.count(query) for name, query in narrowed.items()} == dict.fromkeys(narrowed, 1)


_OVERVIEW: dict[str, Callable[[Where], Query]] = {
    "requests": overview_queries.requests,
    "first token": overview_queries.first_token,
    "token gap": overview_queries.token_gap,
    "hit ratio": overview_queries.hit_ratio,
    "listed": overview_queries.listed,
    "load": overview_queries.load,
    "kv used": overview_queries.kv_used,
    "pool load": overview_queries.pool_load,
}
_OF_OURS = {
    "replicas": overview_queries.replicas,
    "routable": overview_queries.routable,
    "sources": overview_queries.sources,
    "hit ratio of all models": lambda where: overview_queries.hit_ratio(where, models=False),
}


@pytest.mark.parametrize("feed", [*ENGINES, DECLARED])
def test_the_overview_knows_of_every_fleet_what_its_engines_tell(prometheus: Prometheus, feed: str) -> None:
    asked = _OVERVIEW | (_OF_OURS if feed == DECLARED else {})
    silent = {name for name, ask in asked.items() if not prometheus.count(ask({Label.CLUSTER: feed}).expr)}
    assert silent == ({"requests"} if feed in synthetic() else set())  # of engines that say quantities only, and this is none


def test_the_overview_asks_engines_only_of_models_that_nothing_of_ours_tells_of(prometheus: Prometheus) -> None:
    found = overview_queries.first_token({Label.CLUSTER: DECLARED}).expr
    assert prometheus.count(f'({found}) and on (path) label_replace(vector(1), "path", "{BY_ENGINES}", "", "")') == 0


def test_what_the_rules_record_shows_that_they_are_loaded() -> None:
    assert sorted(set(overview_queries.RECORDED) - RECORDS.keys()) == []


def test_panels_and_examples_ask_only_for_names_that_somebody_has() -> None:
    own = {f"{name}{part}" for name in CATALOG for part in _PARTS}
    asked = {name: panel.title for panel in panels() for query in panel.queries for name in names(query.expr.replace(WINDOW, "5m"))}
    asked |= {name: example for example, query in _examples() for name in names(query)}
    assert {name: where for name, where in asked.items() if name not in own | foreign_names() | {"ALERTS"}} == {}


def test_autoscaling_rests_on_nothing_of_ours_and_unknown_is_not_zero() -> None:
    assert {name for _, query in _examples() for name in names(query) if not name.startswith("vllm:")} == set()
    for path in (ROOT / "stack" / "deploy" / "keda").glob("*.yaml"):
        triggers = yaml.safe_load(path.read_text())["spec"]["triggers"]
        assert [trigger["metadata"]["ignoreNullValues"] for trigger in triggers] == ["false"], path.name
