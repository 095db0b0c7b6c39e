"""NIXL, pushed: known, not spoken.

The prefill engine writes into the decode engine, which must have registered its blocks there first.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register


@register("nixl_push")
def nixl_push() -> PdProtocol:
    """Pools that speak it are not disaggregated: requests go straight to a decode engine, and are counted."""
    return PdProtocol("nixl_push", ("NixlPushConnector",), "nixl_push", marks=lambda params: params.get("transfer_mode") == "push")
