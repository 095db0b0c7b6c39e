"""Thresholds are tried on the decisions that control has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stack.api.what_if_routes import KEPT
from stack.control.state import Desired
from tests.decisions import decision, disaggregated
from tests.stack.api.deck import Deck, deck
from tests.stack.control.samples import desired


async def asked(it: Deck, **params: Any) -> Any:
    answer = await it.http.get("/v1/what-if", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_what_is_recorded_is_tried_with_what_is_in_force(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        await router.report(decision(at=1.0), disaggregated(at=2.0), decision(at=3.0, model="other"))
        told = await asked(it, threshold=[100, 2_000])
        assert (told["model"], told["requests"], told["since"], told["until"]) == ("smollm2", 2, 1.0, 2.0)
        assert (told["dpd"]["routing_threshold"], told["prefill_engines"]) == (512, 1)
        assert [(one["least"], one["requests"]) for one in told["lengths"]] == [(181, 1), (1_448, 1)]
        assert (told["min_uncached_tokens"], told["present"]["disaggregated"]) == (0, 1)
        assert (await asked(it, min_uncached_tokens=64))["min_uncached_tokens"] == 64
        assert [(one["threshold"], one["disaggregated"], one["to_prefill"], one["to_direct"]) for one in told["trials"]] == [
            (100, 2, 1, 0),
            (2_000, 0, 0, 1),
        ]
        assert told["notes"][-1] == KEPT
        assert [one["threshold"] for one in (await asked(it))["trials"]] == [0, 181, 256, 512, 1_024, 1_533]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"threshold": "-1"}, "threshold"),
        ({"threshold": "99999999"}, "threshold"),
        ({"threshold": ["1"] * 21}, "threshold"),
        ({"min_uncached_tokens": "x"}, "min_uncached_tokens"),
        ({"model": "other"}, "model"),
        ({"thresholds": "1"}, "thresholds"),
    ],
)
async def test_what_makes_no_sense_is_refused(tmp_path: Path, params: dict[str, Any], field: str) -> None:
    async with deck(tmp_path) as it:
        answer = await it.http.get("/v1/what-if", params=params)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


async def test_of_several_models_one_must_be_named(tmp_path: Path) -> None:
    (state,) = desired().models.values()
    async with deck(tmp_path, configured=Desired(models={"smollm2": state, "other": state})) as it:
        assert (await it.http.get("/v1/what-if")).json()["error"]["message"] == "say which model; served: other, smollm2"
        assert (await asked(it, model="other"))["model"] == "other"
