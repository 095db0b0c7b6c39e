"""Outcomes added up: counts of everything, quantiles over the latest."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence

import msgspec

from stack.traffic.request import Outcome

KEPT = 10_000  # an endless run must not fill the memory
ALL = "all"


class Quantiles(msgspec.Struct, frozen=True):
    """Seconds."""

    p50: float
    p95: float
    p99: float


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of request. Quantiles are None when nothing was measured.

    Token sums are over the answers that told both their prompt's tokens and the cached ones; None when none did.
    """

    requests: int
    failed: int
    first_token: Quantiles | None
    token_gap: Quantiles | None
    total: Quantiles | None
    prompt_tokens: int | None
    cached_tokens: int | None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run. `failures` counts by kind; `paths` by what the endpoint said about its way, if it did.

    `emulated`: the engines behind the endpoint are, so its times are a model's.
    """

    seconds: float
    requests: int
    failures: dict[str, int]
    skipped: int
    too_long: int
    paths: dict[str, int]
    kinds: dict[str, Row]
    emulated: bool = False


class Report:
    """Collects outcomes. Counts cover the whole run, quantiles and token sums the latest KEPT outcomes."""

    def __init__(self, emulated: bool = False) -> None:
        self._emulated = emulated
        self.latest: deque[Outcome] = deque(maxlen=KEPT)
        self.requests = 0
        self._failures: Counter[str] = Counter()
        self._paths: Counter[str] = Counter()

    def add(self, outcome: Outcome) -> None:
        self.latest.append(outcome)
        self.requests += 1
        if outcome.failure is not None:
            self._failures[outcome.failure.value] += 1
        if outcome.path is not None:
            self._paths[outcome.path] += 1

    @property
    def failed(self) -> int:
        return self._failures.total()

    def summary(self, seconds: float, skipped: int, too_long: int) -> Summary:
        """The run so far."""
        kinds = sorted({outcome.kind for outcome in self.latest})
        rows = {kind: _row([outcome for outcome in self.latest if outcome.kind == kind]) for kind in kinds}
        return Summary(
            seconds=seconds,
            requests=self.requests,
            failures=dict(sorted(self._failures.items())),
            skipped=skipped,
            too_long=too_long,
            paths=dict(sorted(self._paths.items())),
            kinds={**rows, ALL: _row(self.latest)},
            emulated=self._emulated,
        )


def quantiles(values: Iterable[float]) -> Quantiles | None:
    """Interpolated between neighbours; None of nothing."""
    ordered = sorted(values)
    return Quantiles(*(_quantile(ordered, at) for at in (0.5, 0.95, 0.99))) if ordered else None


def _quantile(ordered: Sequence[float], at: float) -> float:
    where = at * (len(ordered) - 1)
    low = int(where)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (where - low) * (ordered[high] - ordered[low])


def _row(outcomes: Iterable[Outcome]) -> Row:
    every = list(outcomes)
    good = [outcome for outcome in every if outcome.failure is None]
    told = [(o.prompt_tokens, o.cached_tokens) for o in good if o.prompt_tokens is not None and o.cached_tokens is not None]
    return Row(
        requests=len(every),
        failed=len(every) - len(good),
        first_token=_known(good, lambda outcome: outcome.first_token_seconds),
        token_gap=quantiles(gap for outcome in good for gap in outcome.gaps_seconds),
        total=_known(good, lambda outcome: outcome.total_seconds),
        prompt_tokens=sum(prompt for prompt, _ in told) if told else None,
        cached_tokens=sum(cached for _, cached in told) if told else None,
    )


def _known(outcomes: Iterable[Outcome], value: Callable[[Outcome], float | None]) -> Quantiles | None:
    return quantiles(number for outcome in outcomes if (number := value(outcome)) is not None)
