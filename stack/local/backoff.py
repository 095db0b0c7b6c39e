"""How long to wait before a crashed component is started again."""

from __future__ import annotations

from dataclasses import dataclass

# Doubling from a second: a hiccup costs nothing, a broken component does not burn a core.
FIRST_SECONDS = 1.0
LIMIT_SECONDS = 30.0
# Up for a minute: what comes after is a new failure, not the same one again.
STABLE_SECONDS = 60.0


@dataclass(slots=True)
class Backoff:
    """Counts the failures in a row. `first` and `limit` are in seconds."""

    first: float = FIRST_SECONDS
    limit: float = LIMIT_SECONDS
    stable: float = STABLE_SECONDS
    failures: int = 0

    def failed(self, up_seconds: float) -> float:
        """Counts one more failure after `up_seconds` of service; the seconds to wait."""
        self.failures = 1 if up_seconds >= self.stable else self.failures + 1
        return float(min(self.limit, self.first * 2 ** (self.failures - 1)))

    def forget(self) -> None:
        """A person intervened: begin anew."""
        self.failures = 0
