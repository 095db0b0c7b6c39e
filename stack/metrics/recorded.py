"""Rates that the shipped rules record, in place of what a thousand engines count: long ranges of those take too long."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import KEPT

OVER_SECONDS = 300
"""What is recorded are rates over this: a rate over no less is the mean of them."""
ANY = "kvdeck:prompt_tokens:rate5m"
"""Recorded wherever the rules are loaded and engines are read."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording, and the labels that it has beside those that every aggregate keeps."""

    name: str
    labels: frozenset[str]


RECORDED: Mapping[Family, Recorded] = {
    catalog.PROMPT_TOKENS: Recorded(ANY, frozenset({Label.MODEL_NAME, Label.POOL, Label.SOURCE})),
    catalog.CACHE_HIT_TOKENS: Recorded("kvdeck:cache_hit_tokens:rate5m", frozenset({Label.MODEL_NAME, Label.TIER})),
    catalog.CACHE_LOOKUP_TOKENS: Recorded("kvdeck:cache_lookup_tokens:rate5m", frozenset({Label.MODEL_NAME, Label.TIER})),
}
_BY_NAME = {family.name: recorded for family, recorded in RECORDED.items()}
# As stack.metrics.promql writes the rate of a counter, summed.
_SUMMED = re.compile(r"sum by \(([\w, ]*)\) \(rate\((\w+)\{([^{}]*)\}\[(\d+)s\]\)\)")
_LABEL = re.compile(r'(\w+)(?:=~|!~|!=|=)"(?:[^"\\]|\\.)*"')


def reaching_back(start: int) -> str:
    """Something where rules record now, and did at `start` (Unix seconds) or there was nothing to record."""
    then = f"count({ANY} @ {start}) or on () absent({catalog.PROMPT_TOKENS.name} @ {start})"
    return f"count({ANY}) and on () ({then})"


def shortened(expression: str) -> str:
    """`expression` by what is recorded, as far as it asks for nothing that was summed up, over windows that are long enough."""
    return _SUMMED.sub(_instead, expression)


def _instead(found: re.Match[str]) -> str:
    by, name, matchers, seconds = found.groups()
    recorded = _BY_NAME.get(name)
    asked = {*filter(None, by.split(", ")), *_LABEL.findall(matchers)}
    if recorded is None or int(seconds) < OVER_SECONDS or not asked <= recorded.labels | set(KEPT):
        return found.group()
    return f"sum by ({by}) (avg_over_time({recorded.name}{{{matchers}}}[{seconds}s]))"
