"""The one task that answers a connection's requests: a task for each of them would cost a tenth of what the request does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stack.router.message import ClientGoneError, Rest
from stack.router.response import Response
from stack.router.site import Site


class Attendant:
    """Takes one request at a time. The task begins with the first and ends when it is dismissed."""

    __slots__ = ("_answered", "_dismissed", "_due", "_idle", "_site", "_task")

    def __init__(self, site: Site, answered: Callable[[Response], None]) -> None:
        """`answered` is called when the site's handler has done with a request, whether or not its answer is whole."""
        self._site = site
        self._answered = answered
        self._task: asyncio.Task[None] | None = None
        self._due: tuple[Response, Rest] | None = None
        self._idle: asyncio.Future[None] | None = None
        self._dismissed = False

    def attend(self, response: Response, rest: Rest) -> None:
        """Answer this one next."""
        if self._dismissed:
            rest.close()
            return
        self._due = response, rest
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            self._site.own(self._task)
        else:
            self._wake()

    def dismiss(self, *, at_once: bool) -> None:
        """Nothing more comes; the request at hand is cancelled `at_once` or carried out to its end."""
        self._dismissed = True
        if self._due is not None:
            self._due[1].close()
            self._due = None
        if self._idle is not None:
            self._wake()
        elif self._task is not None and at_once:
            self._task.cancel()

    async def _run(self) -> None:
        while not self._dismissed:
            if self._due is None:
                self._idle = asyncio.get_running_loop().create_future()
                await self._idle
                continue
            response, rest = self._due
            self._due = None
            try:
                await rest
                if not response.started:
                    raise RuntimeError("the handler gave no answer")
            except ClientGoneError:
                pass
            except asyncio.CancelledError:
                response.abort()
                raise
            except Exception as error:  # a handler may fail in any way; its client gets an answer and the server stays up
                response.fail(error)
            self._answered(response)
            del response, rest  # while nothing is due they would stay

    def _wake(self) -> None:
        idle, self._idle = self._idle, None
        if idle is not None and not idle.done():
            idle.set_result(None)
