"""Has an open page load itself anew: it comes to the sign-in page then, and back to where it was after that."""

from __future__ import annotations

from starlette.types import Message, Receive, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.entrance.sessions import Sessions

_POLICY_VIOLATION = 1008


async def knock(send: Send) -> None:
    """Over the page's own connection, which ends with it."""
    message = ForwardMsg()
    message.hash = "sign-in"
    message.auth_redirect.url = ""  # the page's own address, with what is in it
    await send({"type": "websocket.send", "bytes": message.SerializeToString()})
    await send({"type": "websocket.close", "code": _POLICY_VIOLATION})


def watched(sessions: Sessions, key: str | None, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """A page's connection, which ends with the sign-in: nothing more is taken from it or told to it."""
    over = False

    async def end() -> None:
        nonlocal over
        if not over:
            over = True
            await knock(send)

    async def guarded_receive() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive" and sessions.find(key) is None:
            await end()
            return {"type": "websocket.disconnect", "code": 1008}
        return message

    async def guarded_send(message: Message) -> None:
        if over or (message["type"] == "websocket.send" and sessions.find(key, asked=False) is None):
            await end()
            return
        await send(message)

    return guarded_receive, guarded_send
