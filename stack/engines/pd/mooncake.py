"""Mooncake: known, not spoken.

Both legs carry one transfer id, and the decode leg the prefill engine's bootstrap address, which the router must know:
the prefill engine answers with neither.
"""

from __future__ import annotations

from stack.engines.pd.base import PdProtocol, register


@register("mooncake")
def mooncake() -> PdProtocol:
    """Pools that speak it are not disaggregated: requests go straight to a decode engine, and are counted."""
    return PdProtocol("mooncake", ("MooncakeConnector",), "mooncake", marks=lambda params: "remote_bootstrap_addr" in params)
