"""LMCache's own prefill/decode mode: known, not spoken.

The request tells the prefill engine where the receiver listens (`disagg_spec`) and is answered with its first token.
LMCache's multi-process connector has no such mode: its params are empty, and what engines share goes over the tiers.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register


@register("lmcache")
def lmcache() -> PdProtocol:
    """Pools that speak it are not disaggregated: requests go straight to a decode engine, and are counted."""
    return PdProtocol(
        "lmcache",
        ("LMCacheConnectorV1",),
        "lmcache",
        marks=lambda params: not params or not params.keys().isdisjoint(("disagg_spec", "first_tok")),
    )
