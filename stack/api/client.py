"""The typed client of the control API, for the dashboard and `kvdeck ctl`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

import httpx
import msgspec

from stack.api.alert_schema import AlertsView, SilencesView, SilenceView
from stack.api.answers import refusal
from stack.api.calling import Calling
from stack.api.doctor_schema import DoctorView
from stack.api.history_schema import GenerationsView, KeptView
from stack.api.schema import (
    AuditView,
    ChangeView,
    DecisionsView,
    HealthView,
    ReportView,
    StateView,
)
from stack.api.self_schema import SelfView
from stack.cache.relay import CacheUpdate
from stack.control.decision import DecisionRecord
from stack.control.silence import Matcher, SilenceAsked
from stack.control.what_if import WhatIf

FOLLOW_SECONDS = 45.0  # control says something every 15 s


class ControlClient(Calling):
    """What can be asked of control, as Calling says."""

    def state(self) -> StateView:
        """Desired against applied, now."""
        return self._read("/v1/state", {}, StateView)

    def change(
        self,
        patch: Mapping[str, object],
        generation: int,
        *,
        dry_run: bool = False,
        comment: str | None = None,
        force: bool = False,
    ) -> ChangeView:
        """Merge `patch` into the desired state of `generation`; a dry run only says what that would do.

        `force` changes a pool's size although its last change is in flight.

        `pending` of the answer names routers that have yet to follow. Raises StaleError, RefusedChangeError.
        """
        headers = {"If-Match": f'"{generation}"', "Content-Type": "application/merge-patch+json"}
        answer = self._send("PATCH", "/v1/state", options(dry_run, comment, force), headers, msgspec.json.encode(patch))
        return self._decode(answer, ChangeView)

    def rollback(
        self, to: int, generation: int, *, dry_run: bool = False, comment: str | None = None, force: bool = False
    ) -> ChangeView:
        """Make what was desired in generation `to` desired again, in place of that of `generation`; as `change` does."""
        headers = {"If-Match": f'"{generation}"', "Content-Type": "application/json"}
        body = msgspec.json.encode({"generation": to})
        answer = self._send("POST", "/v1/rollback", options(dry_run, comment, force), headers, body)
        return self._decode(answer, ChangeView)

    def generations(self, *, limit: int = 100, before: int | None = None) -> GenerationsView:
        """What was in force, newest first, of generations lower than `before`."""
        asked = _set({"limit": str(limit), "before": None if before is None else str(before)})
        return self._read("/v1/generations", asked, GenerationsView)

    def generation(self, number: int) -> KeptView:
        """One generation whole."""
        return self._read(f"/v1/generations/{number}", {}, KeptView)

    def decisions(self, *, limit: int = 100, **filters: str | None) -> DecisionsView:
        """Recent routing decisions, newest first. Filters: model, path, strategy, engine, fallback, status, since."""
        return self._read("/v1/decisions", {"limit": str(limit)} | _set(filters), DecisionsView)

    def decision(self, request_id: str) -> DecisionRecord:
        """One decision, while control keeps it."""
        return self._read(f"/v1/decisions/{quote(request_id, safe='')}", {}, DecisionRecord)

    def follow(self, **filters: str | None) -> Iterator[DecisionRecord]:
        """Decisions as they come, until control ends the stream. Filters as for `decisions`."""
        try:
            with self._http.stream("GET", "/v1/decisions/stream", params=_set(filters), timeout=FOLLOW_SECONDS) as answer:
                if not answer.is_success:
                    answer.read()
                    raise refusal(answer)
                event = ""
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        event = line
                    elif line.startswith("data: ") and not event:
                        yield msgspec.json.decode(line.removeprefix("data: "), type=DecisionRecord)
                    elif not line:
                        event = ""
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error) from error

    def cache(self, epoch: int, since: int) -> CacheUpdate:
        """What control relays of the cache behind the engines that changed after `since`; all of it for another `epoch`."""
        answer = self._send("GET", "/v1/routers/-/cache", {"epoch": str(epoch), "since": str(since)}, {}, None)
        try:
            return msgspec.msgpack.decode(answer.content, type=CacheUpdate)
        except msgspec.DecodeError as error:
            raise self._stranger(error) from error

    def audit(self, *, limit: int = 100, before: int | None = None) -> AuditView:
        """Changes and steps, newest first, of those with a sequence lower than `before`."""
        return self._read("/v1/audit", _set({"limit": str(limit), "before": None if before is None else str(before)}), AuditView)

    def report(self, generation: int) -> ReportView:
        """What a change came to."""
        return self._read(f"/v1/reports/{generation}", {}, ReportView)

    def what_if(self, thresholds: Sequence[int] = (), model: str | None = None, *, min_uncached: int | None = None) -> WhatIf:
        """What other thresholds would have done, a ladder of them when none is given; `min_uncached` tokens, or those in force."""
        asked: dict[str, str | Sequence[str]] = {"threshold": [str(threshold) for threshold in thresholds]}
        least = None if min_uncached is None else str(min_uncached)
        return self._read("/v1/what-if", asked | _set({"model": model, "min_uncached_tokens": least}), WhatIf)

    def alerts(self) -> AlertsView:
        """What fires, what is pending, what is held back. Refused with `unconfigured` or `unreachable` where nobody can tell."""
        return self._read("/v1/alerts", {}, AlertsView)

    def silences(self) -> SilencesView:
        """Those that are not over."""
        return self._read("/v1/silences", {}, SilencesView)

    def silence(self, matchers: Sequence[Matcher], seconds: float, comment: str, *, dry_run: bool = False) -> SilenceView:
        """Hold back what all `matchers` fit; a dry run only says which alerts those are now."""
        body = msgspec.json.encode(SilenceAsked(matchers=tuple(matchers), comment=comment, seconds=seconds))
        headers = {"Content-Type": "application/json"}
        return self._decode(self._send("POST", "/v1/silences", options(dry_run, None), headers, body), SilenceView)

    def end_silence(self, silence_id: str, *, comment: str | None = None) -> None:
        """End one now."""
        self._send("DELETE", f"/v1/silences/{quote(silence_id, safe='')}", options(False, comment), {}, None)

    def runbook(self, name: str) -> str:
        """What to do about the alert of this name, as Markdown."""
        return self._send("GET", f"/v1/runbooks/{quote(name, safe='')}", {}, {}, None).text

    def doctor(self, *, again: bool = False) -> DoctorView:
        """What the last examination found, and whether one is under way; `again` begins one."""
        return self._read("/v1/doctor", {"again": "true"} if again else {}, DoctorView)

    def myself(self) -> SelfView:
        """Whom the token that this client sends stands for."""
        return self._read("/v1/self", {}, SelfView)

    def health(self) -> HealthView:
        """Whether control is up; needs no token."""
        return self._read("/health", {}, HealthView)


def options(dry_run: bool, comment: str | None, force: bool = False) -> dict[str, str]:
    """What every change is asked with."""
    return _set({"dry_run": "true" if dry_run else None, "comment": comment, "force": "true" if force else None})


def _set(filters: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in filters.items() if value}
