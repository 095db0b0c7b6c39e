"""A drill, what it breaks, and the register of all drills."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from stack.model.target import Target
from stack.model.tier import Pool


class DrillError(Exception):
    """The drill could not be carried out, which says nothing of the alerts; the message says why."""


class Scene(Protocol):
    """The running stack as drills lay hands on it. Every call has a deadline and raises DrillError."""

    @property
    def emulated(self) -> bool: ...

    def engine(self, pool: Pool) -> Target:
        """The first engine of a pool."""
        ...

    def process_of(self, engine: Target) -> str:
        """The component whose process `engine` is in: its own, or the emulator's."""
        ...

    async def hold(self, component: str) -> None:
        """Ends the component and keeps it down."""
        ...

    async def release(self, component: str) -> None:
        """Lets the component start again."""
        ...

    async def kill(self, engine: Target) -> None:
        """SIGKILL to the engine: to its process and all that it started. An emulated one ends alone, as abruptly."""
        ...

    async def kill_process(self, component: str) -> None:
        """SIGKILL to the component's process and all that it started."""
        ...

    async def freeze(self, component: str, *, server: bool = True) -> None:
        """SIGSTOP to the component's process and all that it started; with `server` False to what it started alone."""
        ...

    async def thaw(self, component: str) -> None:
        """SIGCONT to them."""
        ...

    def ask(self, requests: Sequence[str], tokens: int) -> AbstractAsyncContextManager[None]:
        """Sends the prompts through the router, streamed, and waits for no answer; leaving it drops those that are still out."""
        ...

    async def prefill(self, engine: Target, prompt: str) -> bytes:
        """The answer to a first leg, sent to the engine itself."""
        ...

    async def decode(self, engine: Target, prompt: str, prefilled: bytes) -> None:
        """The second leg, sent to the engine itself, answered."""
        ...

    async def complete(self, engine: Target, prompt: str) -> None:
        """One token, asked of the engine itself, however long it takes to answer."""
        ...

    async def pause(self, seconds: float) -> None:
        """Between one request and the next."""
        ...

    async def store(self, *command: str) -> None:
        """One command to the store."""
        ...

    def prompt(self, words: int) -> str:
        """A text that no cache holds, of about as many tokens as `words`."""
        ...


Break = Callable[[Scene], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Drill:
    """Enter `broken`, and the thing is broken; leave it, and it is mended.

    Each of `required` must arrive, each of `tolerated` may: they are what else the same fault truly means. `within` is how many
    seconds after the break the first of a required alert's conditions holds; what its rule waits for comes on top. With
    `emulated` it can be played over emulated engines too.
    """

    name: str
    title: str
    broken: Break
    required: tuple[str, ...]
    tolerated: frozenset[str]
    within: float
    emulated: bool


_DRILLS: dict[str, Drill] = {}


def drill(
    title: str, *, required: Sequence[str], tolerated: Sequence[str] = (), within: float = 60.0, emulated: bool
) -> Callable[[Callable[[Scene], AsyncIterator[None]]], Break]:
    """Decorator: registers a generator, which breaks, yields and mends, as the drill of its file's name."""

    def file(play: Callable[[Scene], AsyncIterator[None]]) -> Break:
        name = play.__module__.rpartition(".")[2].replace("_", "-")
        if name in _DRILLS:
            raise ValueError(f"drill {name!r} is registered twice")
        broken = asynccontextmanager(play)
        _DRILLS[name] = Drill(name, title, broken, tuple(required), frozenset(tolerated), within, emulated)
        return broken

    return file


def drills() -> tuple[Drill, ...]:
    """All that are registered, by name."""
    return tuple(_DRILLS[name] for name in sorted(_DRILLS))
