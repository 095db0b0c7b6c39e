"""Whose KV a store holds, estimated from some of its keys: a walk over its key space, a few steps a scrape, and what it found."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from exporters.collector import Point
from stack.engines.lmcache_keys import model_of
from stack.metrics import catalog
from stack.metrics.family import Label

KEPT = 10
"""Scrapes whose keys count: more keys are a better estimate, older ones a later."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Keys that one scrape looked at, and the bytes of those among them that it measured.

    `whole` says that they are all the store has.
    """

    keys: Sequence[bytes]
    measured: Mapping[bytes, int]
    whole: bool


class Sample:
    """The keys of the last scrapes. What is told of models follows from them and from how many keys the store has."""

    def __init__(self) -> None:
        self._batches: deque[Batch] = deque(maxlen=KEPT)

    def take(self, batch: Batch) -> None:
        """A batch of all keys says more than those before it, which are forgotten."""
        if batch.whole:
            self._batches.clear()
        self._batches.append(batch)

    def forget(self) -> None:
        self._batches.clear()

    def points(self, store: str, count: int, named: Callable[[str], str]) -> Iterator[Point]:
        """The estimates for a store of `count` keys; `named` is the name of a model in our labels."""
        looked_at = [(key, batch.measured.get(key)) for batch in self._batches for key in batch.keys]
        yield Point(catalog.STORE_SAMPLED_KEYS, {Label.REPLICA: store}, float(len(looked_at)))
        keys, measured, sizes = Counter[str](), Counter[str](), Counter[str]()
        for key, size in looked_at:
            if (root := model_of(key)) is None:
                continue
            model = named(root)
            keys[model] += 1
            if size is not None:
                measured[model] += 1
                sizes[model] += size
        for model, found in keys.items():
            labels = {Label.MODEL_NAME: model, Label.REPLICA: store}
            estimate = count * found / len(looked_at)
            yield Point(catalog.STORE_KV_KEYS, labels, estimate)
            if measured[model]:
                yield Point(catalog.STORE_KV_BYTES, labels, estimate * sizes[model] / measured[model])
