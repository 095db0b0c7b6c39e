"""Which vLLM and LMCache an endpoint's pods run, and whether that is a pair that is documented for routing by cache."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from stack.engines.lmcache_pairs import SINCE_LMCACHE, SINCE_VLLM, documented
from stack.engines.versions import text, version
from stack.kube.hyperpod.pods import Seen
from stack.kube.hyperpod.resource import Resource
from stack.kube.hyperpod.rows import Finding, Row, Standing, unknown

_FIELD = "spec.worker.image"
_LMCACHE_TAG = re.compile(r"(?:^|/)lmcache/[^/:]+:v?(\d+\.\d+\.\d+)")
_VLLM_TAG = re.compile(r"(?:^|/)vllm/vllm-openai:v?(\d+\.\d+\.\d+)")
# As the documentation of disaggregated endpoints has them.
_DOCUMENTED_IMAGES = {"lmcache/vllm-openai:v0.4.3": ("0.19.0", "0.4.3"), "vllm:server-hyperpod-cuda-v1.1": ("0.19.0", "0.4.3")}
_WANTED = f"vLLM {text(SINCE_VLLM)} with LMCache {text(SINCE_LMCACHE)}, or later"


def version_rows(wanted: Resource, pods: Sequence[Seen], told: Mapping[str, str]) -> Iterator[Row]:
    """One for the image of all pods, and one for what is in it where requests are to go by cache.

    `told` are versions that engines told of themselves, by the pod's name.
    """
    images = sorted({pod.image for pod in pods if pod.image is not None})
    if not images:
        yield unknown(_FIELD, wanted.spec.worker.image, "no engine's container is seen")
        return
    same = images == [wanted.spec.worker.image]
    yield Row(
        field=_FIELD,
        standing=Standing.EQUAL if same else Standing.DIFFERS,
        wanted=wanted.spec.worker.image,
        seen=" and ".join(images),
        evidence="the images in the pods' specs",
    )
    routing = wanted.known_spec.intelligent_routing_spec
    if routing is not None and routing.enabled and routing.routing_strategy == "kvaware":
        yield _pair(pods, told)


def _pair(pods: Sequence[Seen], told: Mapping[str, str]) -> Row:
    field = f"{_FIELD} (versions)"
    found = sorted({_versions(pod, told) for pod in pods}, key=str)
    seen = " and ".join(f"vLLM {vllm or 'unknown'} with LMCache {lmcache or 'unknown'}" for vllm, lmcache in found)
    pairs = [(version(vllm), version(lmcache)) for vllm, lmcache in found]
    if any(vllm is None or lmcache is None for vllm, lmcache in pairs):
        return unknown(field, _WANTED, f"{seen}: the image's name does not tell both; --ask-engines asks for vLLM's")
    known = [(vllm, lmcache) for vllm, lmcache in pairs if vllm is not None and lmcache is not None]
    if all(documented(vllm, lmcache) for vllm, lmcache in known):
        return Row(field=field, standing=Standing.EQUAL, wanted=_WANTED, seen=seen, evidence=_BY)
    why = f"{_BY}; a pair that does not fit goes by turns, and only a DEBUG line of its router's tells"
    return Row(field=field, standing=Standing.DIFFERS, wanted=_WANTED, seen=seen, evidence=why, finding=Finding.UNDOCUMENTED_PAIR)


_BY = "by what engines tell, the image's tag, and what is documented to be in it"


def _versions(pod: Seen, told: Mapping[str, str]) -> tuple[str | None, str | None]:
    image = pod.image or ""
    vllm, lmcache = next((pair for name, pair in _DOCUMENTED_IMAGES.items() if image.endswith(name)), (None, None))
    for pattern, of_vllm in ((_LMCACHE_TAG, False), (_VLLM_TAG, True)):
        if (tag := pattern.search(image)) is not None:
            vllm, lmcache = (tag[1], lmcache) if of_vllm else (vllm, tag[1])
    return told.get(pod.name, vllm), lmcache
