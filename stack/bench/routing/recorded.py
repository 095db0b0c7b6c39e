"""A recorded trace as a workload: its lengths, its arrivals and what its prompts share, on a smaller scale."""

from __future__ import annotations

from collections.abc import Iterable

from stack.bench.routing.workload import MODEL, Conversation, Turn, Workload
from stack.emulator.answer import Limits
from stack.router.openai import COMPLETIONS, ParsedBody
from stack.traffic.trace import BLOCK_TOKENS, Line

# A block of the trace is a block of the engines: 5,000 blocks hold as much of the trace as 5,000 blocks of its own would.
SHRINK = 8
_BLOCK = BLOCK_TOKENS // SHRINK
_LONGEST = 16_384


def workload(lines: Iterable[Line]) -> Workload:
    """Each line a conversation of one turn; lengths divided by eight. Time is measured in mean gaps between the lines."""
    listed = list(lines)
    first, span = listed[0].timestamp, max(listed[-1].timestamp - listed[0].timestamp, 1.0)
    gap = span / len(listed)
    made = [
        Conversation(f"line-{number}", (line.timestamp - first) / gap, [_turn(line)])
        for number, line in enumerate(listed)
        if line.input_length // SHRINK < _LONGEST
    ]
    return Workload("trace", made)


def _turn(line: Line) -> Turn:
    length = max(1, line.input_length // SHRINK)
    tokens = [token for block in line.hash_ids for token in range(block * _BLOCK, (block + 1) * _BLOCK)][:length]
    answer = max(1, line.output_length // SHRINK)
    fields = {"model": MODEL, "prompt": tokens, "max_tokens": answer, "stream": True}
    parsed = ParsedBody(COMPLETIONS, MODEL, fields, stream=True, max_tokens=answer)
    return Turn("trace", parsed, tuple(tokens), Limits(answer, ignore_eos=True))
