"""Changes of what is desired, as far back as is looked at: the newest anew, older ones once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboard import sources
from stack.api.history_schema import GenerationView

MOST = 1000
"""Generations that are read: who looks at more changes than that sees lines and nothing else."""
_OLDER = "changes before"


@dataclass(frozen=True, slots=True)
class Changes:
    """Generations, newest first. `complete`: there is none of the time that was asked for that is not among them."""

    generations: Sequence[GenerationView]
    complete: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read before, without a gap; `whole` when nothing is older."""

    generations: tuple[GenerationView, ...] = ()
    whole: bool = False


def since(start: float) -> Changes:
    """Those after `start`, in Unix seconds, and maybe some before. Raises as `sources.state` does."""
    found = _joined(tuple(sources.generations()), st.session_state.get(_OLDER, _Read()))
    while not found.whole and found.generations[-1].at >= start and len(found.generations) < MOST:
        page = sources.control().generations(limit=sources.GENERATIONS, before=found.generations[-1].generation).generations
        found = _Read((*found.generations, *page), len(page) < sources.GENERATIONS)
    st.session_state[_OLDER] = found
    return Changes(found.generations, found.whole or found.generations[-1].at < start)


def _joined(newest: tuple[GenerationView, ...], before: _Read) -> _Read:
    """`newest`, and what of `before` follows on them; nothing of it where there is a gap, or control has begun anew."""
    if len(newest) < sources.GENERATIONS:
        return _Read(newest, whole=True)
    if newest[-1] not in before.generations:
        return _Read(newest)
    return _Read((*newest, *before.generations[before.generations.index(newest[-1]) + 1 :]), before.whole)
