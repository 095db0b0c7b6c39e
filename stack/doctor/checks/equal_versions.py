"""One version in the fleet."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, equal
from stack.doctor.facts import Facts


@check(
    Group.FLEET,
    "All engines are of one vLLM version",
    why="Block hashes, KV events and the transfer handshake change between versions; engines of two do not share KV reliably.",
    fix="Roll the older engines to the version of the others, the prefill and the decode pool together.",
)
def look(facts: Facts) -> Finding:
    return equal(facts.engines, lambda engine: engine.version, what="version", needs="GET /version must answer")
