"""MoRI-IO: known, not spoken.

Both legs carry one transfer id; ports for a handshake and for notices stand beside the address.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register


@register("moriio")
def moriio() -> PdProtocol:
    """Pools that speak it are not disaggregated: requests go straight to a decode engine, and are counted."""
    return PdProtocol("moriio", ("MoRIIOConnector",), "moriio", marks=lambda params: "remote_notify_port" in params)
