"""The stack: router, tiers, pools, prefill/decode disaggregation and the control plane that steers them."""
