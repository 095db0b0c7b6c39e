"""The fleet at one moment."""

from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member, lost
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.strategies.fleets import loaded


def member(name: str, model: str = "m", pool: Pool = Pool.DECODE, health: Health = Health.READY, port: int = 1) -> Member:
    target = Target(replica=name, url=f"http://127.0.0.1:{port}", pool=pool, model=model, model_root="/m")
    return Member(Engine(target, health))


def test_candidates_are_the_routable_engines_of_one_model_and_pool_with_the_callers_counts() -> None:
    fleet = Fleet.of(
        [
            member("decode-1"),
            member("decode-0"),
            member("decode-2", health=Health.UNKNOWN),
            member("decode-3", health=Health.NOT_READY),
            member("prefill-0", pool=Pool.PREFILL),
            member("other-0", model="other"),
        ]
    )
    candidates = fleet.candidates("m", Pool.DECODE, loaded({"decode-0": 3, "gone": 9}))
    assert [(engine.name, engine.in_flight) for engine in candidates] == [("decode-0", 3), ("decode-1", 0)]
    assert fleet.candidates("m", Pool.PREFILL, loaded({}))[0].name == "prefill-0"
    assert fleet.candidates("nobody", Pool.DECODE, loaded({})) == ()


def test_a_model_is_served_even_while_none_of_its_engines_is_ready() -> None:
    fleet = Fleet.of([member("b", model="two", health=Health.NOT_READY), member("a", model="one")])
    assert fleet.models == ("one", "two")
    assert [engine.name for engine in fleet.of_model("two")] == ["b"]


def test_caches_are_lost_with_engines_that_left_were_replaced_or_fell() -> None:
    before = Fleet.of([member(name) for name in ("left", "replaced", "fell", "stayed")] + [member("never", health=Health.UNKNOWN)])
    after = Fleet.of(
        [
            member("replaced", port=2, health=Health.UNKNOWN),
            member("fell", health=Health.NOT_READY),
            member("stayed"),
            member("never", health=Health.NOT_READY),
            member("new"),
        ]
    )
    assert lost(before, after) == {"left", "replaced", "fell"}
