"""LoRA adapters: names that engines serve beside their model, each on the engines that say they have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stack.fleet.engine import Engine


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter of `model`, which is served as its engines are; `engines` have it, by name, whether or not they are routable."""

    model: str
    engines: frozenset[str]


@dataclass(frozen=True, slots=True)
class AdaptersListed:
    """An event: the engine `name` said what it serves, these adapters beside its model."""

    name: str
    adapters: frozenset[str]


def adapters_of(listed: Iterable[tuple[Engine, Iterable[str]]]) -> dict[str, Adapter]:
    """Every adapter by its name. Nobody can ask by a name that stands for two things, so such a name is none.

    That is one that adapters of two models bear. A served model's name is that model, whatever engines call their adapters.
    """
    models: set[str] = set()
    holders: dict[str, dict[str, set[str]]] = {}
    for engine, names in listed:
        models.add(engine.target.model)
        for name in names:
            holders.setdefault(name, {}).setdefault(engine.target.model, set()).add(engine.name)
    return {
        name: Adapter(model, frozenset(engines))
        for name, by_model in holders.items()
        if name not in models and len(by_model) == 1
        for model, engines in by_model.items()
    }
