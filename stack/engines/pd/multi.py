"""vLLM's MultiConnector with NIXL among its children (the others are cache tiers, such as LMCache's).

Its answer is all children's params in one object, and on the decode side every child is shown all of it. NIXL comes
first there, so it fetches; tiers add to the answer only what they were asked for, and kvdeck asks for nothing of theirs.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register
from stack.engines.pd.nixl import Nixl


@register("multi")
def multi() -> PdProtocol:
    """NIXL's protocol: engines with and without tiers understand each other."""
    return PdProtocol("multi", ("MultiConnector",), "nixl", Nixl())
