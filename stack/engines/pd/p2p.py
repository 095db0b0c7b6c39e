"""vLLM's point-to-point NCCL connector: known, not spoken.

Both engines' addresses stand in the request's id, and the prefill engine answers with no params at all.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register


@register("p2p")
def p2p() -> PdProtocol:
    """Pools that speak it are not disaggregated: requests go straight to a decode engine, and are counted."""
    return PdProtocol("p2p", ("P2pNcclConnector",), "p2p")
