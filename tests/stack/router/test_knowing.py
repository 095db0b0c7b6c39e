"""What is known of an engine's cache is told with the first thing that would keep a prompt from being placed."""

from __future__ import annotations

from stack.cache.index import BlockIndex
from stack.model.placement import UnknownReason
from stack.router.knowing import Knowing


class Tokens:
    def unusable(self, model: str) -> UnknownReason | None:
        return None if model == "m" else UnknownReason.NO_TOKENIZER


def test_without_tokens_events_tell_nothing() -> None:
    knowing = Knowing(Tokens(), BlockIndex())
    assert [knowing.of("decode-0", "m"), knowing.of("decode-0", "n")] == ["unknown", "no_tokenizer"]
