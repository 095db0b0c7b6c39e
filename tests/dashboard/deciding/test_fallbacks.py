"""What was not served as configured."""

from __future__ import annotations

from dashboard.deciding.fallbacks import words, worst
from dashboard.promapi import Sample


def _share(share: float, **labels: str) -> Sample:
    return Sample(labels, share, 0.0)


def test_of_several_fleets_the_one_with_the_most_is_told() -> None:
    samples = [
        _share(0.05, namespace="a", reason="retry_budget"),
        _share(0.02, namespace="b", reason="retry_budget"),
        _share(0.04, namespace="b", reason="transfer_lost"),
    ]
    assert words(worst(samples)) == "4 % `transfer_lost`, 2 % `retry_budget`"


def test_no_request_is_no_good_news() -> None:
    assert words(worst([])) == "none came, so nothing is known of fallbacks"
    assert words(worst([_share(0.0)])) == "none needed a fallback"
