"""One hash algorithm."""

from __future__ import annotations

from stack.doctor.cache_config import setting
from stack.doctor.check import Finding, Group, check, equal
from stack.doctor.facts import Facts


@check(
    Group.ROUTING,
    "All engines hash blocks alike",
    why="A router that matches hashes finds nothing on an engine that makes them another way, and says so nowhere.",
    fix="Give every engine the same --prefix-caching-hash-algo; sha256_cbor does not depend on Python's own hashes.",
)
def look(facts: Facts) -> Finding:
    return equal(
        facts.engines,
        lambda engine: setting(engine, "prefix_caching_hash_algo"),
        what="hash algorithm",
        needs="/metrics must show the cache configuration with prefix_caching_hash_algo",
    )
