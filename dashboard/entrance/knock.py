"""Has an open page load itself anew: it comes to the sign-in page then, and back to where it was after that."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.entrance.sessions import Sessions

LEAVES_SECONDS = 10.0
_POLICY_VIOLATION = 1008


async def turned_away(receive: Receive, send: Send, protocol: str | None) -> None:
    """A page of somebody who is not signed in: it is told, and given a little to leave by itself."""
    await receive()  # websocket.connect
    await send({"type": "websocket.accept", "subprotocol": protocol})
    await _knock(send)
    with suppress(TimeoutError):
        async with asyncio.timeout(LEAVES_SECONDS):
            while (await receive())["type"] != "websocket.disconnect":
                pass
            return
    await send({"type": "websocket.close", "code": _POLICY_VIOLATION})


def watched(sessions: Sessions, key: str | None, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """A page's connection. With the sign-in it ends: nothing more is taken from it or told to it, but that it is to leave."""
    over = False

    async def end() -> None:
        nonlocal over
        if not over:
            over = True
            await _knock(send)

    async def guarded_receive() -> Message:
        while (message := await receive())["type"] == "websocket.receive":
            if not over and sessions.find(key) is not None:
                break
            await end()
        return message

    async def guarded_send(message: Message) -> None:
        if message["type"] != "websocket.send" or (not over and sessions.find(key, asked=False) is not None):
            await send(message)
        else:
            await end()

    return guarded_receive, guarded_send


async def _knock(send: Send) -> None:
    """Who were to close the connection here would have the page complain of what it sends meanwhile."""
    message = ForwardMsg()
    message.hash = "sign-in"
    message.auth_redirect.url = ""  # the page's own address, with what is in it
    await send({"type": "websocket.send", "bytes": message.SerializeToString()})
