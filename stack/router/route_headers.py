"""x-kvdeck-*: where an answer came from and why, for people who look; off unless asked for, since it names the fleet."""

from __future__ import annotations

from collections.abc import Mapping

from stack.router.errand import Errand
from stack.router.header_fields import NO_LINES, HeaderLines, header_lines

PREFIX = b"x-kvdeck-"


class RouteHeaders:
    """Puts them on answers, or does not."""

    def __init__(self, exposed: bool) -> None:
        self._exposed = exposed

    def onto(self, headers: HeaderLines, errand: Errand) -> HeaderLines:
        """What an answer says, then whose it is, then `errand` as it stands: engine, path, strategy, fallback, generation, id."""
        return HeaderLines(headers + errand.identity.echoed + self._of(errand))

    def _of(self, errand: Errand) -> HeaderLines:
        if not self._exposed:
            return NO_LINES
        return self._said(
            {
                b"engine": errand.engine,
                b"prefill-engine": errand.prefill_engine,
                b"path": errand.path.value,
                b"strategy": errand.plan.decode_strategy,
                b"fallback": errand.fallback,
                b"generation": str(errand.generation),
                b"request-id": errand.identity.request_id,
            }
        )

    def refused(self, generation: int, request_id: str) -> HeaderLines:
        """The headers of an answer that no engine gave."""
        return self._said({b"generation": str(generation), b"request-id": request_id})

    def _said(self, said: Mapping[bytes, str | None]) -> HeaderLines:
        if not self._exposed:
            return NO_LINES
        return header_lines([(PREFIX + name, value.encode()) for name, value in said.items() if value is not None])
