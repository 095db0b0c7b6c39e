"""Which names are adapters, and of what."""

from stack.fleet.adapters import Adapter, adapters_of
from stack.fleet.engine import Engine
from stack.model.target import Target
from stack.model.tier import Pool


def engine(name: str, model: str = "m") -> Engine:
    return Engine(Target(replica=name, url=f"http://{name}", pool=Pool.DECODE, model=model, model_root="/m"))


def test_an_adapter_is_on_the_engines_that_say_so() -> None:
    assert adapters_of([(engine("a"), ["sql", "fr"]), (engine("b"), ["sql"]), (engine("c"), [])]) == {
        "sql": Adapter("m", frozenset({"a", "b"})),
        "fr": Adapter("m", frozenset({"a"})),
    }


def test_a_name_that_stands_for_two_things_is_no_adapter() -> None:
    assert adapters_of([(engine("a"), ["sql", "n"]), (engine("b", "n"), ["sql", "fr"])]) == {"fr": Adapter("n", frozenset({"b"}))}
