"""Who is signed in, in this process' memory alone: a restart signs everybody out."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from stack.api.experiment_client import ExperimentClient
from stack.api.self_schema import SelfView
from stack.control.access import digest

IDLE_SECONDS = 3_600.0  # without a page that is open anywhere: an open one asks every few seconds
MOST_SECONDS = 7 * 86_400.0
CLOSED_AFTER_SECONDS = 60.0  # a page may be asking with it at the moment in which it ends


@dataclass(slots=True, eq=False)
class SignedIn:
    """One sign-in: control's client with the person's token, which is kept nowhere else, and whom it stands for.

    `at` and `seen` are when it began, and when a page last asked.
    """

    client: ExperimentClient = field(repr=False)
    person: SelfView
    at: float
    seen: float


class Sessions:
    """Sign-ins by what a browser's cookie says. Any thread. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float], make: Callable[[], str] = lambda: secrets.token_urlsafe(32)) -> None:
        self._clock, self._make, self._lock = clock, make, Lock()
        self._open: dict[str, SignedIn] = {}
        self._ended: list[tuple[float, SignedIn]] = []

    def begin(self, client: ExperimentClient, person: SelfView) -> str:
        """Sign in: what the cookie is to say, which nobody has known before."""
        key, now = self._make(), self._clock()
        with self._lock:
            self._sweep(now)
            self._open[digest(key)] = SignedIn(client, person, now, now)
        return key

    def find(self, key: str | None, *, asked: bool = True) -> SignedIn | None:
        """Whose cookie that is; None for nobody's, and for who was away for too long. Not `asked`: it is only looked."""
        if not key:
            return None
        now = self._clock()
        with self._lock:
            self._sweep(now)
            found = self._open.get(digest(key))
            if found is not None and asked:
                found.seen = now
            return found

    def end(self, key: str | None) -> None:
        """Sign out, in all tabs."""
        with self._lock:
            if key and (found := self._open.pop(digest(key), None)) is not None:
                self._ended.append((self._clock(), found))

    def close(self) -> None:
        """Sign everybody out."""
        with self._lock:
            for signed in [*self._open.values(), *(signed for _, signed in self._ended)]:
                signed.client.close()
            self._open.clear()
            self._ended.clear()

    def _sweep(self, now: float) -> None:
        for key, signed in list(self._open.items()):
            if now - signed.seen > IDLE_SECONDS or now - signed.at > MOST_SECONDS:
                self._ended.append((now, self._open.pop(key)))
        while self._ended and now - self._ended[0][0] > CLOSED_AFTER_SECONDS:
            self._ended.pop(0)[1].client.close()
