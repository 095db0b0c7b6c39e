"""Alertmanager's API, version 2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from stack.control.alert import SEVERITY, Alert, AlertState, SilencedBy
from stack.control.alert_ports import AlertSourceError, SilenceRefusedError, UnknownSilenceError
from stack.control.silence import Matcher, Silence, SilenceState, ours

T = TypeVar("T")

DEADLINE_SECONDS = 3.0
_SAID_MAX = 300  # characters of its own words
_NOT_FOUND, _REFUSED = 404, 400


class _Status(msgspec.Struct, rename="camel"):
    state: str
    silenced_by: list[str] = []
    inhibited_by: list[str] = []


class _Alert(msgspec.Struct, rename="camel"):
    labels: dict[str, str]
    fingerprint: str
    starts_at: datetime
    status: _Status
    annotations: dict[str, str] = {}


class _Matcher(msgspec.Struct, rename="camel"):
    name: str
    value: str
    is_regex: bool = False
    is_equal: bool = True


class _SilenceStatus(msgspec.Struct):
    state: SilenceState


class _Silence(msgspec.Struct, rename="camel"):
    id: str
    status: _SilenceStatus
    matchers: list[_Matcher]
    starts_at: datetime
    ends_at: datetime
    created_by: str = ""
    comment: str = ""


class _Made(msgspec.Struct):
    silence_id: str = msgspec.field(name="silenceID")


class Alertmanager:
    """`stack.control.alert_ports.Alerting` at `url`, whatever path prefix it has; `client` is who asks, with its credentials."""

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, f"{url.rstrip('/')}/api/v2"

    async def alerts(self, matchers: Sequence[Matcher]) -> tuple[Alert, ...]:
        wanted = [("filter", matcher.words) for matcher in matchers]
        answer, silences = await asyncio.gather(self._ask("GET", "/alerts", params=wanted), self.silences())
        told = _decoded(answer, list[_Alert])
        known = {silence.id: silence for silence in silences}
        names = {alert.fingerprint: alert.labels.get("alertname", "") for alert in told}
        return tuple(_alert(alert, known, names) for alert in told)

    async def silences(self) -> tuple[Silence, ...]:
        told = _decoded(await self._ask("GET", "/silences"), list[_Silence])
        return tuple(_silence(each) for each in told if each.status.state is not SilenceState.EXPIRED)

    async def silence(self, matchers: Sequence[Matcher], starts: float, ends: float, by: str, comment: str) -> str:
        wanted = [_Matcher(name=m.name, value=m.value, is_regex=m.is_regex, is_equal=m.is_equal) for m in matchers]
        body = {
            "matchers": wanted,
            "startsAt": _written(starts),
            "endsAt": _written(ends),
            "createdBy": by,
            "comment": comment,
        }
        answer = await self._ask(
            "POST", "/silences", content=msgspec.json.encode(body), headers={"content-type": "application/json"}
        )
        return _decoded(answer, _Made).silence_id

    async def expire(self, silence_id: str) -> None:
        await self._ask("DELETE", f"/silence/{quote(silence_id, safe='')}")

    async def _ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = await self._client.request(method, self._url + path, **request)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise AlertSourceError(f"Alertmanager does not answer: {type(error).__name__}") from error
        if answer.is_success:
            return answer
        said = answer.text[:_SAID_MAX].strip().strip('"')
        # Before 0.27 it answers 500 to who would end one that is not there.
        if method == "DELETE" and (answer.status_code == _NOT_FOUND or "not found" in said):
            raise UnknownSilenceError("Alertmanager has no such silence")
        if method == "POST" and answer.status_code == _REFUSED:
            raise SilenceRefusedError(f"Alertmanager refuses it: {said}")
        raise AlertSourceError(f"Alertmanager answered {answer.status_code}: {said}".removesuffix(": "))


def _decoded(answer: httpx.Response, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.DecodeError as error:
        raise AlertSourceError("what answers as Alertmanager is none") from error


def _alert(told: _Alert, silences: dict[str, Silence], names: dict[str, str]) -> Alert:
    status = told.status
    return Alert(
        name=told.labels.get("alertname", ""),
        state=AlertState.SILENCED if status.silenced_by else AlertState.INHIBITED if status.inhibited_by else AlertState.FIRING,
        labels=told.labels,
        severity=told.labels.get(SEVERITY),
        summary=told.annotations.get("summary"),
        description=told.annotations.get("description"),
        since=told.starts_at.timestamp(),
        silenced_by=tuple(_silenced(name, silences.get(name)) for name in status.silenced_by),
        inhibited_by=tuple(sorted({names.get(each, "an alert of others") for each in status.inhibited_by})),
    )


def _silenced(silence_id: str, found: Silence | None) -> SilencedBy:
    if found is None:
        return SilencedBy(id=silence_id)
    return SilencedBy(id=silence_id, by=found.by, until=found.ends, comment=found.comment)


def _silence(told: _Silence) -> Silence:
    matchers = tuple(Matcher(name=m.name, value=m.value, is_regex=m.is_regex, is_equal=m.is_equal) for m in told.matchers)
    return Silence(
        id=told.id,
        state=told.status.state,
        matchers=matchers,
        by=told.created_by,
        comment=told.comment,
        starts=told.starts_at.timestamp(),
        ends=told.ends_at.timestamp(),
        ours=ours(matchers),
    )


def _written(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
