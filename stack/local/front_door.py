"""Whether a request to the stack would find an engine: the router's own word, which comes after its process serves."""

from __future__ import annotations

from collections.abc import Iterable

import httpx

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.components import router

DEADLINE_SECONDS = 5.0


def unrouted(components: Iterable[Component]) -> str | None:
    """Why no request would be answered now, in words; None when one would, or when there is no router to ask."""
    for component in components:
        if component.kind == router.NAME and component.state is ComponentState.READY and component.url is not None:
            return _fault(component.url)
    return None


def _fault(url: str) -> str | None:
    try:
        answer = httpx.get(f"{url}/ready", timeout=DEADLINE_SECONDS, trust_env=False)
    except httpx.HTTPError as error:
        return f"the router does not answer: {type(error).__name__}"
    return None if answer.status_code == 200 else f"the router says {answer.text}"
