"""The parts of the DPD page: a threshold that is tried, phases, transfers, KV on its way between the pools, and their load."""
