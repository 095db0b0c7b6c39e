"""How many requests may be tried again: retries that follow every failure double the load just when engines are short.

One that follows a connection that never came about does not: no engine has had the request, and it needs none of these.
"""

from __future__ import annotations


class RetryBudget:
    """A bucket of retries, full at first: every request adds `share` of one, every retry takes one."""

    def __init__(self, share: float, most: float) -> None:
        """`most` is how many retries a burst of failures may cost after a quiet time; at least 1, or there is never any."""
        self._share = share
        self._most = most
        self._left = most

    def earn(self) -> None:
        """A request came."""
        if self._left < self._most:
            self._left = min(self._most, self._left + self._share)

    def spend(self) -> bool:
        """Take one retry; False when there is none left."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
