"""What an engine's exposition says of its cache configuration."""

from __future__ import annotations

from stack.doctor.facts import Engine
from stack.engines import vllm_names as names


def setting(engine: Engine, label: str) -> str | None:
    """The value that all ranks of an engine give for `label` of vLLM's cache configuration.

    None where it is not told: Python's None is what an engine has that has not decided yet.
    """
    if engine.samples is None:
        return None
    found = {sample.labels.get(label) for sample in engine.samples.of(names.CACHE_CONFIG_INFO.name)}
    told = found.pop() if len(found) == 1 else None
    return None if told in {"", "None"} else told
