"""Other products' routers as points."""

import pytest

from exporters.collector import Context, Point
from exporters.collectors.routers import Routers
from stack.engines.routers.base import UnknownRouterError
from stack.engines.samples import Histogram
from stack.metrics.family import Label
from tests.exporters.recorded import Hosts, exposition, target, text


def collector(hosts: Hosts) -> Routers:
    # 7101 is in the target list, 7102 is not.
    fleet = [target("127.0.0.1:7101")]
    return Routers(Context(hosts.client(), lambda: fleet, {"routers": {"front": "http://front"}}))


def told(points: list[Point]) -> dict[tuple[str, str | None], float]:
    assert all(point.labels[Label.REPLICA] == "front" for point in points)
    return {
        (point.family.name.removeprefix("kvdeck_foreign_router_"), point.labels.get(Label.BACKEND)): point.value
        for point in points
        if not isinstance(point.value, Histogram)
    }


async def test_engines_are_told_by_their_replica_and_others_together() -> None:
    seen = await collector(Hosts({"http://front/metrics": text(exposition("vllm-router-0.1.17"))})).read("front")
    assert {point.labels[Label.PRODUCT] for point in seen.points} == {"vllm_router"}
    assert told(list(seen.points)) == {
        ("requests_total", None): 14030.0,
        ("sent_requests_total", "127.0.0.1:7101"): 5186.0,
        ("sent_requests_total", "unlisted"): 8846.0,
        ("in_flight_requests", "127.0.0.1:7101"): 0.0,
        ("in_flight_requests", "unlisted"): 0.0,
        ("engine_healthy", "127.0.0.1:7101"): 1.0,
    }


async def test_no_label_holds_a_url() -> None:
    hosts = Hosts({"http://front/metrics": text(exposition("production-stack-router-a6c01db"))})
    seen = await collector(hosts).read("front")
    assert not [value for point in seen.points for value in point.labels.values() if "://" in value]


async def test_an_engine_listed_as_a_router_fails_with_the_reason() -> None:
    routers = collector(Hosts({"http://front/metrics": text(exposition("vllm-0.32-plain"))}))
    with pytest.raises(UnknownRouterError):
        await routers.read("front")
