"""Configurations replace each other whole; strategies stay warm across them."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from stack.control.decision import Arm
from stack.control.link import RouterConfig, Trial
from stack.control.session_key import Place, SessionKey
from stack.control.state import Dpd, ModelState, Parameters, Pools, PoolState
from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.model.tier import Pool
from stack.registry import UnknownNameError
from stack.router.applied import Applied, Configuration
from stack.router.shelf import StrategyShelf
from stack.strategies.base import create, names
from stack.strategies.disaggregation import DpdPolicy
from stack.strategies.session import Session


class First:
    """A strategy of no consequence."""

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        return Choice(candidates[0].name, reason="first")


def _shelf() -> StrategyShelf:
    return StrategyShelf(("a", "b", "kv_aware", "prefix_aware"), lambda name: First())


def _config(version: int, **models: ModelState) -> RouterConfig:
    return RouterConfig(version=version, generation=version * 10, models=models, draining=("decode-1",), others=True)


def test_a_configuration_is_applied_whole() -> None:
    told: list[Applied] = []
    configuration = Configuration(_shelf(), told.append)
    pools = Pools(prefill=PoolState(replicas=1, strategy="b"), decode=PoolState(replicas=2))
    dpd = Dpd(enabled=True, routing_threshold=512, min_uncached_tokens=64)
    configuration.apply(_config(4, m=ModelState(strategy="a", dpd=dpd, pools=pools)))
    applied = configuration.current
    assert told == [applied]
    assert (applied.version, applied.generation, applied.draining, applied.others) == (4, 40, frozenset({"decode-1"}), True)
    assert applied.models["m"].policy == DpdPolicy(True, 512, 64)
    strategies = applied.models["m"].strategies
    assert (strategies.prefill.name, strategies.decode.name) == ("b", "a")
    assert strategies.decode.fallback is not None
    assert strategies.decode.fallback.name == "prefix_aware"
    assert applied.models["m"].session_places.keys[0] == SessionKey(Place.HEADER, "x-session-id")


def test_an_unknown_strategy_leaves_everything_as_it_was() -> None:
    configuration = Configuration(_shelf())
    configuration.apply(_config(1, m=ModelState(strategy="a")))
    before = configuration.current
    with pytest.raises(UnknownNameError):
        configuration.apply(_config(2, n=ModelState(strategy="a"), m=ModelState(strategy="magic")))
    assert configuration.current is before


def test_its_age_runs_from_controls_last_word_and_nothing_ends_what_is_in_force() -> None:
    now = 100.0
    configuration = Configuration(_shelf(), clock=lambda: now)
    configuration.preset({"m": ModelState(strategy="a")})
    ages = [configuration.age_seconds]
    configuration.apply(_config(1, m=ModelState(strategy="b")))
    configuration.confirm()
    now += 1_000_000.0
    ages.append(configuration.age_seconds)
    assert configuration.current.generation == 10
    assert ages == [None, 1_000_000.0]


def test_hyperpods_spelling_is_understood() -> None:
    configuration = Configuration(_shelf())
    configuration.apply(_config(1, m=ModelState(strategy="kvaware")))
    assert configuration.current.models["m"].strategies.decode.name == "kv_aware"


def test_strategies_stay_the_same_objects_across_switches() -> None:
    configuration = Configuration(_shelf())
    configuration.apply(_config(1, m=ModelState(strategy="a")))
    first = configuration.current.models["m"].strategies.decode.strategy
    configuration.apply(_config(2, m=ModelState(strategy="b")))
    configuration.apply(_config(3, m=ModelState(strategy="a")))
    assert configuration.current.models["m"].strategies.decode.strategy is first


def test_each_pools_strategies_are_told_their_parameters_and_so_are_those_beside_and_the_fallback() -> None:
    configuration = Configuration(StrategyShelf(names(), create))
    told: Parameters = {"session": {"load_factor": 3.0}, "prefix_aware": {"patience_tokens": 9.0}}
    pools = Pools(prefill=PoolState(replicas=1), decode=PoolState(parameters=told))
    configuration.apply(_config(1, m=ModelState(strategy="session", pools=pools)))
    served = configuration.current.models["m"]
    assert (served.strategies.prefill.strategy, served.strategies.decode.strategy) == (Session(), Session(load_factor=3.0))
    assert [named.strategy for named in served.beside[Pool.DECODE] if named.name == "session"] == [Session(load_factor=3.0)]
    assert served.strategies.decode.fallback in served.beside[Pool.DECODE]
    wrong = _config(2, m=ModelState(pools=Pools(decode=PoolState(parameters={"session": {"load_factor": 0.5}}))))
    with pytest.raises(ValueError, match=r"parameters of session: Expected `float` >= 1\.0"):
        configuration.apply(wrong)
    assert configuration.current.generation == 10


def test_an_experiment_holds_both_ways_whole() -> None:
    configuration = Configuration(_shelf())
    dpd = Dpd(enabled=True, routing_threshold=99)
    config = _config(1, m=ModelState(strategy="a"), n=ModelState(strategy="a"))
    trial = Trial(id="e1", share=0.25, candidate=ModelState(strategy="b", dpd=dpd))
    configuration.apply(replace(config, experiments={"m": trial, "gone": trial}))
    applied = configuration.current
    fork = applied.models["m"].fork
    assert fork is not None
    assert (applied.experiments, fork.experiment, fork.share) == (("e1",), "e1", 0.25)
    assert (fork.control.arm, fork.control.strategies.decode.name, fork.control.fork) == (Arm.CONTROL, "a", None)
    assert (fork.candidate.arm, fork.candidate.strategies.decode.name) == (Arm.CANDIDATE, "b")
    assert fork.candidate.policy.routing_threshold == 99
    assert applied.models["n"].fork is None


def test_an_experiment_with_a_strategy_that_is_not_known_here_is_left_out_and_the_rest_applied() -> None:
    configuration = Configuration(_shelf())
    config = _config(2, m=ModelState(strategy="b"))
    configuration.apply(replace(config, experiments={"m": Trial(id="e1", share=0.5, candidate=ModelState(strategy="magic"))}))
    applied = configuration.current
    assert (applied.version, applied.models["m"].strategies.decode.name, applied.experiments) == (2, "b", ())
