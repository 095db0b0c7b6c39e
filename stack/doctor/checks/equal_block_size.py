"""One block size."""

from __future__ import annotations

from stack.doctor.cache_config import setting
from stack.doctor.check import Finding, Group, check, equal
from stack.doctor.facts import Facts


@check(
    Group.ROUTING,
    "All engines have one KV block size",
    why="Hashes are of whole blocks: with two sizes no prefix matches, and transfers between the pools are refused or rearranged.",
    fix="Give every engine the same --block-size.",
)
def look(facts: Facts) -> Finding:
    return equal(
        facts.engines,
        lambda engine: setting(engine, "block_size"),
        what="block size",
        needs="/metrics must show the cache configuration",
    )
