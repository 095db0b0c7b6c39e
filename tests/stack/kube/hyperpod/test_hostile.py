"""Documents that nobody means well with: each is refused or read, and what is read comes back as it was, or not at all."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.control.refusal import RefusedError
from stack.kube.hyperpod.exported import NotExpressibleError, exported
from stack.kube.hyperpod.imported import imported
from stack.kube.hyperpod.reading import ResourceError, configs, read
from tests.stack.kube.hyperpod.samples import STRATEGIES, disaggregated, endpoint, routing, worker

_SCALED = {"prefillAutoScaling": {"maxReplicaCount": 4}}
_REDIS = {"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": "redis"}}
_LIMITED = worker(requestLimits={"maxConcurrentRequests": 3}, environmentVariables=[{"name": "A", "value": "b"}])
GOOD = endpoint(
    intelligentRoutingSpec=routing(),
    pdSpec=disaggregated(autoScalingSpec=_SCALED),
    kvCacheSpec=_REDIS,
    worker=_LIMITED,
    autoScalingSpec={"minReplicaCount": 1},
)
_WORDS = st.one_of(st.text(max_size=4), st.sampled_from(["replicas", "name", "enabled", "args", "kvaware", "redis", "1"]))
_LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _WORDS)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.one_of(_WORDS, st.integers()), inner, max_size=3)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _paths(value[key], (*path, key))


@settings(max_examples=40)
@given(st.sampled_from([path for path in _paths(GOOD) if path]), st.recursive(_LEAVES, _nested, max_leaves=6))
def test_no_document_breaks_the_reading(path: tuple[Any, ...], value: Any) -> None:
    document = copy.deepcopy(GOOD)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    assert len(configs([document])) in (0, 1)
    try:
        found = imported(document, STRATEGIES)
    except (ResourceError, RefusedError):
        return
    if read(document).unknown:
        with pytest.raises(NotExpressibleError, match="knows no such field"):
            exported(found.model, found.desired.models[found.model], STRATEGIES, document)
        return
    again = exported(found.model, found.desired.models[found.model], STRATEGIES, document)
    assert again.document["spec"] == document["spec"]
