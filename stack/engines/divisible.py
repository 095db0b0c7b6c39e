"""Which requests can be computed on two engines, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def indivisible(fields: Mapping[str, Any]) -> str | None:
    """Why a request cannot be split into two legs (a word fit for a label), None when it can.

    The params belong to one sequence over one prompt: a second sequence would use them twice, and a second prompt would
    read the first one's blocks.
    """
    prompt = fields.get("prompt")
    # What begins with a token id is one prompt, or nothing that an engine takes.
    several = isinstance(prompt, list) and len(prompt) > 1 and type(prompt[0]) is not int
    checks = {
        "several_prompts": several,
        "several_choices": fields.get("n") not in (None, 1) or fields.get("best_of") not in (None, 1),
        "beam_search": bool(fields.get("use_beam_search")),
        "prompt_embeds": fields.get("prompt_embeds") is not None,
        # Logits of the prompt's own tokens exist only where the prompt was computed.
        "prompt_logprobs": fields.get("prompt_logprobs") is not None or _echoes_logprobs(fields),
        # A relative truncation depends on the room left for the answer, so the legs would see different prompts.
        "truncated_prompt": fields.get("truncate_prompt_tokens") is not None,
        "no_output": fields.get("max_tokens") == 0,
    }
    return next((reason for reason, applies in checks.items() if applies), None)


def _echoes_logprobs(fields: Mapping[str, Any]) -> bool:
    return bool(fields.get("echo")) and bool(fields.get("logprobs") is not None or fields.get("top_logprobs"))
