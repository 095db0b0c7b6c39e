"""What the exporter costs: CPU of a collection, latency of its page, memory."""
