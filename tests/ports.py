"""Ports for what tests start."""

from stack.bench.router.stand import free_ports


def free_port(below: int = 65_536) -> int:
    """A port that nobody listens on just now, whichever others start at the same moment."""
    return next(port for port in free_ports(64) if port < below)
