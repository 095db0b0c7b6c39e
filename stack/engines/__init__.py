"""One engine's dialect each: metric names by version, bodies, KV-transfer fields. Pure."""
