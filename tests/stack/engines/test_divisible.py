from __future__ import annotations

from typing import Any

import pytest

from stack.engines.divisible import indivisible


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"prompt": ["a", "b"]}, "several_prompts"),
        ({"prompt": [[1], [2]]}, "several_prompts"),
        ({"n": 2}, "several_choices"),
        ({"best_of": 2}, "several_choices"),
        ({"use_beam_search": True}, "beam_search"),
        ({"prompt_embeds": "x"}, "prompt_embeds"),
        ({"prompt_logprobs": 1}, "prompt_logprobs"),
        ({"echo": True, "logprobs": 1}, "prompt_logprobs"),
        ({"truncate_prompt_tokens": -1}, "truncated_prompt"),
        ({"max_tokens": 0}, "no_output"),
        ({"prompt": ["a"], "n": 1, "best_of": None, "echo": True, "max_tokens": 1}, None),
        ({"prompt": [1, 2, 3], "n": None, "logprobs": 5}, None),
        ({"messages": [], "n": 1, "use_beam_search": False}, None),
    ],
)
def test_what_cannot_be_split_is_known_beforehand(fields: dict[str, Any], reason: str | None) -> None:
    assert indivisible(fields) == reason
