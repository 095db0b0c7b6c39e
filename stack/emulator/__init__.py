"""Emulated engines: vLLM's dialect over a real block cache and a time model; always says that it is emulated."""
