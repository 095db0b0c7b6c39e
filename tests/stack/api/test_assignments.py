from __future__ import annotations

import pytest

from stack.api.assignments import AssignmentError, patch


def test_dotted_keys_nest_and_values_are_json_or_text() -> None:
    words = ["strategy=kv_aware", "dpd.enabled=false", "dpd.routing_threshold=4096", "pools.decode.strategy=null"]
    assert patch(words, ["smollm2"]) == {
        "strategy": "kv_aware",
        "dpd": {"enabled": False, "routing_threshold": 4096},
        "pools": {"decode": {"strategy": None}},
    }


def test_model_names_may_hold_dots() -> None:
    models = ["qwen", "qwen.2.5"]
    assert patch(["models.qwen.2.5.strategy=session"], models) == {"models": {"qwen.2.5": {"strategy": "session"}}}
    assert patch(["strategy=session"], models, "qwen.2.5") == {"models": {"qwen.2.5": {"strategy": "session"}}}
    assert patch(["models.qwen.strategy=session"], models, "qwen.2.5") == {"models": {"qwen": {"strategy": "session"}}}


@pytest.mark.parametrize(
    "words", [["strategy"], ["=x"], ["a..b=1"], ["dpd=1", "dpd.enabled=true"], ["a=1", "a=2"], ["a.b=1", "a=2"]]
)
def test_words_that_are_no_assignments_or_contradict_are_quoted(words: list[str]) -> None:
    with pytest.raises(AssignmentError, match=words[-1].replace(".", r"\.")):
        patch(words, [])
