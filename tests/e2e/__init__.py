"""The real things together: vLLM, LMCache, the store, Prometheus, Alertmanager."""
