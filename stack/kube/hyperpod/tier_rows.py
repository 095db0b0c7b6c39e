"""The cache tiers that an endpoint asks for against those its engines were told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stack.engines.lmcache_l2 import L2Address
from stack.engines.lmcache_variables import PREFIX, Told, told
from stack.kube.hyperpod.documented import REDIS_ISSUE
from stack.kube.hyperpod.pods import Seen
from stack.kube.hyperpod.resource import KvCache, Resource
from stack.kube.hyperpod.rows import Finding, Row, row, unknown

_PATH = "spec.kvCacheSpec"
_L1, _L2 = f"{_PATH}.enableL1Cache", f"{_PATH}.l2CacheSpec.l2CacheBackend"
_REDIS, _DAEMON = "redis", "sagemaker-hyperpod"
# What the API's pages say the operator's versions do with l2CacheBackend: redis, and with LMCACHE_ variables of one's own.
_IGNORES = f"operator 3.2.0 is reported to do that ({REDIS_ISSUE}); without the daemon L2 is silently absent"


def tier_rows(wanted: Resource, pods: Sequence[Seen]) -> Iterator[Row]:
    """L1, L2, and the variables of LMCache's that the worker has."""
    cache = wanted.known_spec.kv_cache_spec or KvCache()
    if cache.cache_config_file is not None:
        yield unknown(_PATH, cache.cache_config_file, "LMCache's own file overrides all of it, and what is in it is not read")
        return
    asked = {pod.name: _told(pod) for pod in pods}
    yield _agreed(_L1, cache.enable_l1_cache, asked, lambda one: None if one.l1 is None else "on" if one.l1 else "off")
    l2 = _agreed(_L2, _wanted(cache), asked, lambda one: None if one.l2 is None else _shown(one.l2))
    yield _with_finding(l2, cache)
    yield from _stripped(wanted, pods)


def _told(pod: Seen) -> Told:
    if pod.variables is None:
        return Told(None, None, "no container of the pod is known to be the engine's")
    return told(pod.variables, pod.connectors)


def _agreed(field: str, wanted: object, asked: dict[str, Told], of: Callable[[Told], str | None]) -> Row:
    """What all pods were told; unknown where one does not tell, unless another differs already."""
    if not asked:
        return unknown(field, wanted, "no pod of the endpoint is seen")
    seen = {name: of(one) for name, one in asked.items()}
    values = sorted({value for value in seen.values() if value is not None})
    silent = [name for name, value in seen.items() if value is None]
    if not values or (silent and values == [row(field, wanted, None, "").wanted]):
        return unknown(field, wanted, f"{silent[0]}: {asked[silent[0]].unknown}")
    evidence = "; ".join(f"{value} in {', '.join(name for name in seen if seen[name] == value)}" for value in values)
    return row(field, wanted, " and ".join(values), f"by the {PREFIX} variables in the pods' specs: {evidence}")


def _wanted(cache: KvCache) -> str:
    backend = "" if cache.l2_cache_spec is None else (cache.l2_cache_spec.l2_cache_backend or "").lower()
    if not cache.enable_l2_cache or not backend:
        return "none"
    return _REDIS if _REDIS in backend else _DAEMON


def _shown(found: Sequence[L2Address]) -> str:
    return " and ".join(one.kind for one in found) or "none"


def _with_finding(l2: Row, cache: KvCache) -> Row:
    if (l2.wanted, l2.seen) != (_REDIS, _DAEMON):
        return l2
    return row(l2.field, l2.wanted, l2.seen, f"{l2.evidence}. {_IGNORES}", Finding.REDIS_IGNORED)


def _stripped(wanted: Resource, pods: Sequence[Seen]) -> Iterator[Row]:
    """Variables of LMCache's that the worker has and a pod's engine has not."""
    given = {one.name for one in wanted.spec.worker.environment_variables or () if one.name.startswith(PREFIX)}
    read = [pod for pod in pods if pod.variables is not None]
    if not given or not read:
        return
    missing = sorted(given - set.intersection(*({*(pod.variables or ())} for pod in read)))
    field, names = "spec.worker.environmentVariables", ", ".join(sorted(given))
    if missing:
        yield row(
            field, names, f"without {', '.join(missing)}", f"names in the pods' specs; {_IGNORES}", Finding.VARIABLES_STRIPPED
        )
    else:
        yield row(field, names, names, "names in the pods' specs")
