"""How the demo ends when it cannot go on."""


class DemoError(RuntimeError):
    """The demo cannot go on; the message says why and what to do."""
