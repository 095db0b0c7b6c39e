"""Which LMCache and vLLM are documented to work together.

HyperPod documents two pairs for KV-aware routing: one that its first operator shipped, and one from which on later ones work.
What is in neither is not known to fail: nobody says.
"""

from __future__ import annotations

from stack.engines.versions import Version

FIRST_VLLM, FIRST_LMCACHE = (0, 11, 1), (0, 3, 9)
SINCE_VLLM, SINCE_LMCACHE = (0, 19, 1), (0, 4, 3)


def documented(vllm: Version, lmcache: Version) -> bool:
    """Somebody says that these two work together."""
    return (vllm, lmcache) == (FIRST_VLLM, FIRST_LMCACHE) or (vllm >= SINCE_VLLM and lmcache >= SINCE_LMCACHE)
