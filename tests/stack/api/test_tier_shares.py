"""Prometheus is asked about just the time of either side, and what it cannot tell stays unknown."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from stack.api.tier_shares import TierShare, tier_shares
from stack.control.report import Side
from stack.metrics import queries
from stack.metrics.family import Label
from stack.model.tier import Source
from tests.stack.wiring.ctl.stand import REPORT

LONG = replace(
    REPORT,
    before=Side(requests=9, since=1_000.0, until=1_600.0),
    after=Side(requests=9, since=2_000.0, until=2_120.0),
)
BEFORE = queries.waterfall_shares({Label.MODEL_NAME: "smollm2"}, "600s").expr
AFTER = queries.waterfall_shares({Label.MODEL_NAME: "smollm2"}, "120s").expr


def answers(fleets: int = 1) -> Mapping[tuple[str, float], list[tuple[Mapping[str, str], float]]]:
    return {
        (BEFORE, 1_600.0): [({"source": "l1"}, 0.25), ({"source": "computed"}, 0.75)] * fleets,
        (AFTER, 2_120.0): [({"source": "l1"}, 0.5)],
    }


def test_each_source_has_its_share_of_either_side() -> None:
    told = answers()
    shares = list(tier_shares(LONG, lambda expression, at: told[expression, at]))
    assert [share.source for share in shares] == list(Source)
    assert TierShare(model="smollm2", source=Source.L1, before=0.25, after=0.5) in shares
    assert TierShare(model="smollm2", source=Source.COMPUTED, before=0.75, after=None) in shares


def test_a_side_too_short_for_a_rate_is_not_asked_about() -> None:
    assert all(share.before is share.after is None for share in tier_shares(REPORT, lambda _, __: [({"source": "l1"}, 1.0)]))


def test_where_several_fleets_answer_none_is_taken_for_this_one() -> None:
    told = answers(fleets=2)
    shares = {share.source: share for share in tier_shares(LONG, lambda expression, at: told[expression, at])}
    assert (shares[Source.L1].before, shares[Source.L1].after) == (None, 0.5)
