import asyncio
from pathlib import Path

from stack.adapters.supervisor_link import SupervisorAnswer, SupervisorRequest, ask
from stack.local.link_server import REQUEST_BYTES, listening


def echo(request: SupervisorRequest) -> SupervisorAnswer:
    return SupervisorAnswer(name=f"{request.op} {request.name}")


async def test_a_request_is_answered_over_a_socket_of_this_user_alone(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    socket.touch()  # left by a supervisor that was killed
    async with listening(socket, echo):
        assert socket.stat().st_mode & 0o777 == 0o600
        assert await ask(socket, SupervisorRequest(op="stop", name="redis")) == SupervisorAnswer(name="stop redis")
    assert not socket.exists()


async def exchanged(socket: Path, line: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(socket)
    try:
        writer.write(line)
        writer.write_eof()
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_nonsense_is_answered_and_too_much_of_it_is_not(tmp_path: Path) -> None:
    socket = tmp_path / "s.sock"
    async with listening(socket, echo):
        assert b"not a request" in await exchanged(socket, b"{\n")
        assert b"not a request" in await exchanged(socket, b"")
        assert await exchanged(socket, b"x" * (2 * REQUEST_BYTES)) == b""
        assert (await ask(socket, SupervisorRequest(op="a"))).name == "a None"
