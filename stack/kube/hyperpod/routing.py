"""Strategy and threshold of endpoints follow what is desired, by merge patches. Unverified against the operator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from stack.control.counterpart import ChangeElsewhere, Followed
from stack.control.merge import merge as merged
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.kube.access import Access
from stack.kube.api import CONFLICT, KubeError, client, merge
from stack.kube.autoscalers import Autoscalers
from stack.kube.hyperpod.dial import managed, nested
from stack.kube.hyperpod.documented import UNVERIFIED
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.endpoints import endpoint, path
from stack.kube.hyperpod.reading import Reading, ResourceError, read
from stack.kube.hyperpod.settings import Setting, changed, check_taken, routing_settings
from stack.kube.owners import owner, set_by
from stack.kube.workloads import WorkloadKind, WorkloadObject, WorkloadSpec

# Somebody else's edit of an endpoint is told within this many seconds.
FRESH_SECONDS = 5.0
# Who asks for a change waits for it: what takes longer to be tried is not.
TRY_SECONDS = 3.0
_REFUSALS = frozenset({400, 403, 422})
# What the API server says (400) where a webhook, such as the operator's, does not say that it has no side effects.
_UNTRIED = "does not support dry run"


class EndpointRouting:
    """`stack.control.counterpart.Counterpart` over the InferenceEndpointConfigs of `endpoints`. `clock` is monotonic.

    What kvdeck set, and somebody else changed while the desired value stayed, is left so and told.
    """

    def __init__(
        self,
        access: Access,
        endpoints: Sequence[Endpoint],
        clock: Callable[[], float],
        transport: httpx.AsyncBaseTransport | None = None,
        try_seconds: float = TRY_SECONDS,
    ) -> None:
        self._http, self._endpoints, self._clock = client(access, transport), tuple(endpoints), clock
        self._try_seconds = try_seconds
        self._set: dict[tuple[Endpoint, str], str | int] = {}
        self._last: tuple[Desired, float, Followed] | None = None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def check(self, before: Desired, after: Desired) -> tuple[ChangeElsewhere, ...]:
        """With a dry run at the API server, whose refusal is a refusal of the change; one that cannot be asked refuses nothing."""
        found: list[ChangeElsewhere] = []
        for own in self._endpoints:
            if own.model in before.models and own.model in after.models:
                found += await self._check(own, changed(own, before.models[own.model], after.models[own.model]))
        return tuple(found)

    async def _check(self, own: Endpoint, settings: Sequence[Setting]) -> list[ChangeElsewhere]:
        if not settings:
            return []
        reading: Reading | None = None
        caution = UNVERIFIED
        try:
            async with asyncio.timeout(self._try_seconds):
                reading = await self._reading(own)
                check_taken(own, reading, settings)
                _check_owner(own, reading, settings)
                await self._patch(own, reading, settings, dry_run=True)
        except KubeError as error:
            if error.status in _REFUSALS and _UNTRIED not in str(error):
                raise _refused(own, settings, str(error)) from error
            caution = f"{UNVERIFIED}, and not tried: the API server answers {error}"
        except (ResourceError, httpx.HTTPError, TimeoutError) as error:
            caution = f"{UNVERIFIED}, and not tried: {type(error).__name__}"
        return [ChangeElsewhere(own.model, own.words, one.path, _shown(reading, one), str(one.value), caution) for one in settings]

    async def follow(self, desired: Desired) -> Followed:
        """Asks anew every few seconds, and whenever something else is desired."""
        now = self._clock()
        if self._last is not None and self._last[0] == desired and now - self._last[1] < FRESH_SECONDS:
            return Followed(drift=self._last[2].drift)
        steps: list[str] = []
        drift: dict[str, str] = {}
        for own in self._endpoints:
            if own.model in desired.models:
                await self._follow(own, list(routing_settings(own, desired.models[own.model])), steps, drift)
        followed = Followed(tuple(steps), drift)
        self._last = desired, now, followed
        return followed

    async def _follow(self, own: Endpoint, settings: Sequence[Setting], steps: list[str], drift: dict[str, str]) -> None:
        try:
            reading = await self._reading(own)
            left = [one for one in settings if one.now(reading) != one.value and self._set.get((own, one.path)) == one.value]
            drift |= {f"models.{own.model}.{one.field}": _left(own, reading, one) for one in left}
            missing = [one for one in settings if one.now(reading) != one.value and one not in left]
            if missing:
                check_taken(own, reading, missing)
                _check_owner(own, reading, missing)
                await self._patch(own, reading, missing)
        except RefusedError as error:
            drift[error.field] = error.message
        except (KubeError, ResourceError, httpx.HTTPError) as error:
            why = "it changes meanwhile" if isinstance(error, KubeError) and error.status == CONFLICT else str(error)
            drift |= {
                f"models.{own.model}.{one.field}": f"{own.words} does not follow: {why or type(error).__name__}" for one in settings
            }
        else:
            self._set |= {(own, one.path): one.value for one in settings if one not in left}
            steps += [f"{one.path} of {own.words} set to {one.value}, {UNVERIFIED}" for one in missing]

    async def _reading(self, own: Endpoint) -> Reading:
        return read(await endpoint(self._http, own.namespace, own.name))

    async def _patch(self, own: Endpoint, reading: Reading, settings: Sequence[Setting], *, dry_run: bool = False) -> None:
        patch: Any = {"metadata": {"resourceVersion": reading.resource.metadata.get("resourceVersion")}}
        for one in settings:
            patch = merged(patch, nested(one.keys, one.value))
        await merge(self._http, path(own.namespace, own.name), patch, dry_run=dry_run)


def _check_owner(own: Endpoint, reading: Reading, settings: Sequence[Setting]) -> None:
    """Raises RefusedError where somebody keeps the endpoint elsewhere, who would set it back."""
    for one in settings:
        told = WorkloadObject(managed(reading, one.keys), WorkloadSpec())
        if (claimed := owner(WorkloadKind.DEPLOYMENT, told, Autoscalers())) is not None:
            why = f"{claimed.kind} {claimed.name} keeps {own.words}: change {one.path} there"
            raise RefusedError(f"models.{own.model}.{one.field}", why)


def _refused(own: Endpoint, settings: Sequence[Setting], message: str) -> RefusedError:
    """Under the field that the server names, else the first."""
    named = next((one for one in settings if one.path in message), settings[0])
    return RefusedError(f"models.{own.model}.{named.field}", f"{own.words} does not take it: {message}")


def _shown(reading: Reading | None, one: Setting) -> str:
    value = None if reading is None else one.now(reading)
    return "what is not known" if value is None else str(value)


def _left(own: Endpoint, reading: Reading, one: Setting) -> str:
    who = set_by(WorkloadObject(managed(reading, one.keys), WorkloadSpec())) or "somebody"
    now = one.now(reading)
    return f"{who} set {one.path} of {own.words} to {now}, which is left so: desire that to keep it, or set it back to {one.value}"
