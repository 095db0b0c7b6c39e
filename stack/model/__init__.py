"""The words everything else speaks: request, placement, plan, tier, target. Pure values."""
