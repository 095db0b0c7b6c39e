"""What a change came to: figures of requests before it beside those after it, and what can be said of the difference."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from stack.control.cost import UNPRICED, Cost
from stack.control.diff import Change
from stack.control.estimate import Estimate, difference
from stack.control.window import Figures

LIKE_PROMPTS = 1.2  # medians further apart than this factor make a comparison doubtful: prefill alone is about linear in them
TIERS_UNKNOWN = (
    "Each tier's part is not known to control: an engine tells how much it did not compute, not where that came from. "
    "Prometheus knows: see the dashboard, or kvdeck ctl report --prometheus-url."
)


class Quantity(StrEnum):
    """What is compared, with its unit. `gap` is the mean time between one answer's tokens, `cached` over all tiers together."""

    TTFT_P50 = "ttft_p50_seconds"
    TTFT_P95 = "ttft_p95_seconds"
    TTFT_P99 = "ttft_p99_seconds"
    GAP_P50 = "gap_p50_seconds"
    GAP_P95 = "gap_p95_seconds"
    GAP_P99 = "gap_p99_seconds"
    CACHED = "cached_share"
    FAILED = "failed_share"
    LEFT = "left_share"
    DISAGGREGATED = "disaggregated_share"
    PROMPT_P50 = "prompt_p50_tokens"
    PROMPT_P95 = "prompt_p95_tokens"
    OUTPUT_P50 = "output_p50_tokens"


class Verdict(StrEnum):
    """What the difference's interval says: it leaves out 0, or it holds 0, or there is none.

    Of twenty figures that nothing changed, one is expected to be told apart all the same.
    """

    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"  # of what is neither good nor bad: what came, and the way it went
    NOT_TOLD_APART = "not_told_apart"
    UNKNOWN = "unknown"


_MORE_IS_BETTER = frozenset({Quantity.CACHED})
_NEITHER = frozenset({Quantity.DISAGGREGATED, Quantity.PROMPT_P50, Quantity.PROMPT_P95, Quantity.OUTPUT_P50})


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity; `difference` is after minus before."""

    quantity: Quantity
    before: Estimate
    after: Estimate
    difference: Estimate
    verdict: Verdict


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of one side: how many, and when the first and the last of them were decided (Unix seconds)."""

    requests: int
    since: float | None
    until: float | None

    @property
    def per_second(self) -> float | None:
        """Requests a second; None where they are too few to tell."""
        if self.since is None or self.until is None or self.until <= self.since:
            return None
        return (self.requests - 1) / (self.until - self.since)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `changes`, in force as `generation` since `at` (Unix seconds), did to `model`; not `complete` while requests are added.

    `settling` requests of the first `settled_seconds` are on neither side; None: it had not settled yet, and never will
    once generation `followed_by` came, `followed_seconds` after this one. A request is on the side
    of the generation it was decided by, whenever it ended. Costs are at the prices of now. `notes` are what to bear in mind.
    """

    generation: int
    model: str
    at: float
    complete: bool
    settled_seconds: float | None
    followed_by: int | None = None
    followed_seconds: float | None = None
    settling: int
    before: Side
    after: Side
    rows: tuple[Row, ...]
    changes: tuple[Change, ...] = ()
    cost_before: Cost = UNPRICED
    cost_after: Cost = UNPRICED
    notes: tuple[str, ...] = ()


def side(figures: Figures) -> Side:
    """Whose figures they are."""
    return Side(requests=figures.requests, since=figures.since, until=figures.until)


def rows(before: Figures, after: Figures) -> tuple[Row, ...]:
    """Every quantity, in the order of Quantity."""
    old, new = dict(_quantities(before)), dict(_quantities(after))
    return tuple(_row(quantity, old[quantity], new[quantity]) for quantity in Quantity)


def doubts(before: Figures, after: Figures) -> Iterator[str]:
    """Why the two sides may differ for another reason than the change."""
    old, new = before.prompt_tokens.p50, after.prompt_tokens.p50
    if old.value and new.value and _apart(difference(new, old)):
        factor = max(old.value, new.value) / min(old.value, new.value)
        if factor > LIKE_PROMPTS:
            yield (
                f"The comparison is doubtful: prompts differ, the median one had {old.value:,.0f} tokens before and "
                f"{new.value:,.0f} after."
            )


def _row(quantity: Quantity, before: Estimate, after: Estimate) -> Row:
    apart = difference(after, before)
    return Row(quantity=quantity, before=before, after=after, difference=apart, verdict=_verdict(quantity, apart))


def _verdict(quantity: Quantity, apart: Estimate) -> Verdict:
    if apart.value is None:
        return Verdict.UNKNOWN
    if not _apart(apart):
        return Verdict.NOT_TOLD_APART
    if quantity in _NEITHER:
        return Verdict.CHANGED
    return Verdict.BETTER if (apart.value > 0) == (quantity in _MORE_IS_BETTER) else Verdict.WORSE


def _apart(apart: Estimate) -> bool:
    """The interval of a difference leaves out 0."""
    return apart.low is not None and apart.high is not None and not apart.low <= 0 <= apart.high


def _quantities(figures: Figures) -> Iterator[tuple[Quantity, Estimate]]:
    yield Quantity.TTFT_P50, figures.ttft.p50
    yield Quantity.TTFT_P95, figures.ttft.p95
    yield Quantity.TTFT_P99, figures.ttft.p99
    yield Quantity.GAP_P50, figures.gap.p50
    yield Quantity.GAP_P95, figures.gap.p95
    yield Quantity.GAP_P99, figures.gap.p99
    yield Quantity.CACHED, figures.cached
    yield Quantity.FAILED, figures.failed
    yield Quantity.LEFT, figures.left
    yield Quantity.DISAGGREGATED, figures.disaggregated
    yield Quantity.PROMPT_P50, figures.prompt_tokens.p50
    yield Quantity.PROMPT_P95, figures.prompt_tokens.p95
    yield Quantity.OUTPUT_P50, figures.output_tokens.p50
