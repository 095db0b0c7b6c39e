"""Exporters: the tiers, the KV transfers and the engines as Prometheus series, beside any router."""
