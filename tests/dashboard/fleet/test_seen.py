"""Engines as control and Prometheus tell of them, together."""

from dashboard.fleet.name import Name
from dashboard.fleet.seen import NAMESAKE, Engine, engines, measured
from dashboard.fleet.told import Listed, Told
from dashboard.sites import Site
from stack.fleet.engine import State
from stack.metrics.engine_queries import Quantity
from tests.dashboard.fleet.samples import DECODE, view

LISTED: dict[Name, Listed] = {
    Name(DECODE, "decode-0"): Listed(age=2.0, version="0.32", emulated=True, health="ready"),
    Name(DECODE, "decode-9"): Listed(age=2.0, health="not_ready"),
}


def names(found: list[Engine]) -> list[str]:
    return [engine.name for engine in found]


def test_the_worst_off_come_first_and_the_busiest_of_the_well() -> None:
    views = [
        view("decode-0", in_flight=1), view("decode-1", in_flight=7), view("decode-2", State.DOWN), view("decode-3", State.DRAINED),
    ]  # fmt: skip
    assert names(engines(views, {})) == ["decode-2", "decode-3", "decode-1", "decode-0"]


def test_who_cannot_be_read_stands_before_who_can() -> None:
    unread: dict[Name, Listed] = {Name(DECODE, "decode-1"): Listed(age=1.0, unread=("engines",))}
    assert names(engines([view("decode-0"), view("decode-1")], unread)) == ["decode-1", "decode-0"]


def test_control_has_the_word_on_states_and_routers_have_it_without_control() -> None:
    both = engines([view("decode-0", State.DRAINED)], LISTED)
    assert {engine.name: (engine.state, engine.health) for engine in both} == {
        "decode-9": ("down", "not_ready"),
        "decode-0": ("drained", "unknown"),
    }
    assert [engine.state for engine in engines(None, LISTED)] == ["down", "ready"]


def test_what_nobody_says_is_unknown_and_not_ready() -> None:
    (engine,) = engines(None, {Name(DECODE, "decode-0"): Listed(age=1.0)})
    assert (engine.state, engine.health, engine.in_flight, engine.emulated) == ("unknown", None, None, None)


def test_figures_are_put_to_their_engines() -> None:
    told = Told({Name(DECODE, "decode-0"): {Quantity.RUNNING: 2.0}})
    found = measured(engines([view("decode-0"), view("decode-1")], {}), told)
    assert [engine.figures for engine in found] == [{Quantity.RUNNING: 2.0}, {}]


def test_what_control_says_is_said_of_none_of_several_of_the_name() -> None:
    east, west = (Name(DECODE, "decode-0", Site(name)) for name in ("east", "west"))
    told = Told({east: {Quantity.RUNNING: 2.0}, west: {Quantity.RUNNING: 7.0}})
    several = {east: Listed(age=1.0, health="ready"), west: Listed(age=1.0, health="not_ready")}
    found = measured(engines([view("decode-0", State.DRAINED), view("decode-1")], several), told)
    assert [(engine.name, engine.site, engine.state, engine.namesake, engine.figures) for engine in found] == [
        ("decode-0", Site("west"), "down", True, {Quantity.RUNNING: 7.0}),
        ("decode-0", Site("east"), "ready", True, {Quantity.RUNNING: 2.0}),
        ("decode-1", None, "ready", False, {}),
    ]
    assert found[0].remarks(str) == NAMESAKE
    (alone, *_) = engines([view("decode-0", State.DRAINED)], {east: Listed(age=1.0)})
    assert (alone.site, alone.state, alone.namesake) == (Site("east"), "drained", False)
