"""The control API: schema, server, typed client, tokens."""
