"""Follows a stack that starts, on the checklist, until everything serves or something fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from stack.adapters.supervisor_link import Component, ComponentState
from stack.local.checklist import Checklist, Mark, Step
from stack.local.timings import Timings

LOOK_SECONDS = 0.3
# A first failure may be an accident, and is tried again anyway; a second one is not.
FAILURES = 2
# A bar that waits for the last bit of an estimate.
ALMOST = 0.97
# Engines are in the target file once they serve; the router reads it and asks them within a second or two on an idle machine.
ROUTED_WITHIN_SECONDS = 120.0

Look = Callable[[], tuple[Component, ...]]
Unrouted = Callable[[tuple[Component, ...]], str | None]


class StartUpError(Exception):
    """The stack does not come up. `component` is what failed, None when it was the supervisor itself."""

    def __init__(self, message: str, component: str | None = None) -> None:
        super().__init__(message)
        self.component = component


@dataclass(slots=True)
class _Followed:
    step: Step
    expected: float | None
    began: float


@dataclass(slots=True)
class StartUp:
    """`look` gives the components now, none when the supervisor does not answer; `lives` whether it runs at all.

    `unrouted` says why a request would not find an engine now, None when it would.
    """

    checklist: Checklist
    timings: Timings
    look: Look
    lives: Callable[[], bool]
    unrouted: Unrouted
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    _followed: dict[str, _Followed] = field(default_factory=dict)

    def follow(self) -> tuple[Component, ...]:
        """The components once all are ready or held, and the router knows its engines. Raises StartUpError."""
        while True:
            components = self.look()
            if not components and not self.lives():
                raise StartUpError("the supervisor ended at once")
            self._forget_others({component.name for component in components})
            for component in components[1:]:
                self._show(component)
            if len(components) > 1 and all(followed.step.mark is not Mark.RUNNING for followed in self._followed.values()):
                return self._routed(components)
            self.pause(LOOK_SECONDS)

    def _routed(self, components: tuple[Component, ...]) -> tuple[Component, ...]:
        began = self.clock()
        while (fault := self.unrouted(components)) is not None:
            if self.clock() - began > ROUTED_WITHIN_SECONDS:
                raise StartUpError(f"everything runs, but no request finds an engine: {fault}", "router")
            self.pause(LOOK_SECONDS)
        return components

    def _show(self, component: Component) -> None:
        followed = self._followed.get(component.name) or self._opened(component)
        step = followed.step
        if component.state is ComponentState.READY and step.mark is Mark.RUNNING:
            step.done(component.url or "")
        elif component.state is ComponentState.HELD:
            step.done("held")
        elif component.failures >= FAILURES and step.mark is Mark.RUNNING:
            step.fail(component.detail)
            raise StartUpError(f"{component.name} does not start: {component.detail}", component.name)
        elif step.mark is Mark.RUNNING:
            self._advance(followed, component.detail)

    def _forget_others(self, names: set[str]) -> None:
        """An engine that control does not want ends while it starts."""
        for name in self._followed.keys() - names:
            self._followed.pop(name).step.done("not wanted")

    def _opened(self, component: Component) -> _Followed:
        expected = self.timings.expected(component.name, component.kind)
        followed = _Followed(self.checklist.step(component.name, expected), expected, self.clock())
        self._followed[component.name] = followed
        return followed

    def _advance(self, followed: _Followed, detail: str) -> None:
        if followed.expected is not None:
            elapsed = min(self.clock() - followed.began, followed.expected * ALMOST)
            followed.step.advance(max(0.0, elapsed - followed.step.completed))
        followed.step.detail(detail)
