"""A prompt that the client sent as token ids."""

from __future__ import annotations

from array import array

import msgspec


def token_ids(prompt: object) -> array[int] | None:
    """One list of 32-bit token ids, alone or in a list; None of anything else."""
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], list):
        prompt = prompt[0]
    if not isinstance(prompt, list) or not prompt or type(prompt[0]) is not int:
        return None
    try:
        return array("I", msgspec.convert(prompt, list[int]))  # five times as fast as asking each
    except (msgspec.ValidationError, OverflowError):
        return None
