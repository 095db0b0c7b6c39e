"""Examines control's own fleet, as `kvdeck doctor` would."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from stack.adapters.http_access import Access
from stack.api.settings import ControlSettings
from stack.control.precondition import Precondition
from stack.doctor.examination import preconditions
from stack.model.target import Target
from stack.wiring.doctor import Fleet, seen

_STORES = frozenset({"redis", "rediss", "valkey", "valkeys"})


class OwnDoctor:
    """Looks at what control steers, with what `settings` say; `access` is how Prometheus is asked."""

    def __init__(self, settings: ControlSettings, access: Access) -> None:
        store = settings.cache_store
        self._store = store if store is not None and urlsplit(store).scheme in _STORES else None
        self._prometheus, self._access = settings.prometheus_url, access

    async def examine(self, targets: Sequence[Target], cache_server: str | None) -> tuple[Precondition, ...]:
        """Every check, on `targets` and the cache server at this URL. Raises what a foreign thing makes of being looked at."""
        return preconditions(await seen(Fleet(tuple(targets), cache_server, self._store, self._prometheus, access=self._access)))
