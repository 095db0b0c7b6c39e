"""Which data-parallel rank of an engine a request is sent to: the one that holds its prefix, while it has no more than its share.

vLLM's own balancer goes by load alone and takes a rank from the header; what it is not told it decides.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from stack.model.placement import EnginePlacement

RANK_HEADER = b"x-data-parallel-rank"
# A prefix that all requests share must not bring them all to one rank: a quarter above the mean, and one more where few are there.
SHARE = 1.25
SPARE = 1


def rank_for(held: EnginePlacement | None, aimed: Collection[int | None]) -> int | None:
    """The rank to ask for, None to leave it to the engine. `aimed` are those of the requests the engine has now."""
    if held is None or held.rank is None:
        return None
    share = math.ceil(SHARE * (len(aimed) + 1) / held.ranks) + SPARE
    there = sum(rank == held.rank for rank in aimed)
    return held.rank if there < share else None
