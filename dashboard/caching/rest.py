"""Why nobody says where some prompt tokens' KV came from: what of the fleet does not tell, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dashboard import amounts, sites
from dashboard.promapi import Sample
from dashboard.wording import code, plain
from stack.engines import lmcache_quantities as lq
from stack.engines import vllm_quantities as vq
from stack.engines.lmcache import Mode
from stack.engines.quantities import State
from stack.metrics.family import Label

_ENGINES = {
    vq.FOUND.name: "without hits of their own cache",
    vq.EXTERNAL_FOUND.name: "that do not tell what their connector loaded (no connector, or before vLLM 0.11.2)",
}
_SERVERS = {
    lq.FOUND_L1.name: "without L1's hits apart from L2's: what was loaded through them is unknown",
    lq.FOUND.name: "without hits in tokens (nothing was looked up yet, or LMCache 0.4.3, which counts chunks)",
}
QUANTITIES = (*_ENGINES, *_SERVERS)
"""What the sources rest on."""
_LOST = {State.ABSENT, State.HIDDEN, State.STALE}
REMAINDER = (
    "the engine's connector names no tier and no look-up of LMCache explains the load: another connector, a look-up that the "
    "exporter did not see in time, or loads from before it began"
)


def reasons(states: Iterable[Sample], modes: Iterable[Sample], unread: Sequence[Sample], doubts: Sequence[Sample]) -> list[str]:
    """Sentences without their full stop; none when all that could tell does."""
    return [*_states(states), *_modes(modes), *_unread(unread), *_doubts(doubts)]


def named(engines: Sequence[Sample]) -> str:
    """Engines with their version: `decode-0 (vLLM 0.11.0)`."""
    told = sites.names(engines)
    return ", ".join(dict.fromkeys(f"{code(told(one))} ({_version(one)})" for one in engines))


def _states(samples: Iterable[Sample]) -> Iterable[str]:
    counts: dict[str, float] = {}
    for sample in samples:
        if sample.labels.get(Label.STATE) in _LOST:
            name = sites.name(sample, Label.QUANTITY)
            counts[name] = counts.get(name, 0.0) + sample.value
    for what, said in (("engine", _ENGINES), ("LMCache server", _SERVERS)):
        yield from (f"{_many(counts[name], what)} {text}" for name, text in said.items() if counts.get(name))


def _modes(samples: Iterable[Sample]) -> Iterable[str]:
    said: Mapping[str, str] = {
        Mode.IN_PROCESS: "inside engines, where L1 and L2 are not told apart: what is loaded through them is unknown",
        Mode.SILENT: "that told nothing yet, as before a first look-up",
    }
    counts = _counts(samples)
    yield from (f"{_many(counts[mode], 'LMCache')} {text}" for mode, text in said.items() if counts.get(mode))


def modes_counted(samples: Iterable[Sample]) -> str:
    """How many LMCaches there are of each mode, those of all fleets: `2 multi process, 1 silent`."""
    return ", ".join(f"{count:.0f} {plain(mode.replace('_', ' '))}" for mode, count in _counts(samples).items())


def _counts(samples: Iterable[Sample]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for sample in samples:
        mode = sites.name(sample, Label.MODE)
        counts[mode] = counts.get(mode, 0.0) + sample.value
    return counts


def unread_named(samples: Sequence[Sample]) -> str:
    """What the exporter cannot read, each with how it is read: `lmcache-0` (lmcache)."""
    told = sites.names(samples, by=Label.TARGET)
    return ", ".join(sorted(f"{code(told(one))} ({plain(sites.name(one, Label.COLLECTOR))})" for one in samples))


def _unread(samples: Sequence[Sample]) -> Iterable[str]:
    if samples:
        yield f"the exporter cannot read {unread_named(samples)}"


def _doubts(samples: Sequence[Sample]) -> Iterable[str]:
    place = sites.names(samples)
    told = sorted(f"{code(place(one))} ({plain(sites.name(one, Label.REASON))})" for one in samples if one.value)
    if told:
        yield f"counters are too low at {', '.join(told)}: LMCache lost events before it counted them"


def _many(count: float, what: str) -> str:
    return f"{count:.0f} {what}{'' if count == 1 else 's'}"


def _version(sample: Sample) -> str:
    version = sample.labels.get(Label.VERSION)
    return f"vLLM {plain(version)}" if version else f"version {amounts.UNKNOWN}"
