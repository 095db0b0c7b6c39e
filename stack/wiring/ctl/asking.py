"""`kvdeck ctl`: asks control, prints the answer, and says by the exit code how it went."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TypeVar

import msgspec
from rich.console import Console, RenderableType

from stack.adapters.bearer import TokenFileError, read_token
from stack.adapters.trust import TrustError
from stack.api.answers import ControlAnswerError, ControlUnreachableError, StaleError, UnauthorizedError
from stack.api.assignments import AssignmentError
from stack.api.client import ControlClient
from stack.api.schema import ErrorDetail, ErrorView
from stack.config import Layout, Ports
from stack.local.asking import listed
from stack.local.components.control import NAME as CONTROL
from stack.local.home import home_layout

C = TypeVar("C", bound=ControlClient)
V = TypeVar("V")

_UNAUTHORIZED = 401
PIPED_WIDTH = 160  # characters a line where there is no terminal to ask


class Exit(IntEnum):
    """What scripts may rely on."""

    APPLIED = 0
    USAGE = 2
    PENDING = 3
    REFUSED = 4
    CONFLICT = 5
    UNREACHABLE = 6


@dataclass(frozen=True, slots=True)
class Connection:
    """Where control is, and how to print its answers."""

    url: str
    token_file: Path | None
    authorities: Path | None
    json: bool


def control_url(layout: Layout | None = None) -> str:
    """Where the control of this checkout's stack listens, wherever its ports were moved; the documented port without one."""
    components = listed(layout or home_layout())
    url = next((component.url for component in components if component.name == CONTROL), None)
    return url or f"http://127.0.0.1:{Ports().control}"


def run(connection: Connection, ask: Callable[[ControlClient], Exit]) -> Exit:
    """What `ask` returns; where control does not do what it is asked, the reason on standard error and its exit code.

    With --json standard output has the reason, too, as control says it.
    """
    return run_with(ControlClient, connection, ask)


def run_with(client: type[C], connection: Connection, ask: Callable[[C], Exit]) -> Exit:
    """The same, by a client that can do more."""
    try:
        token = read_token(connection.token_file)
        with client(connection.url, token=token, actor=_user(), authorities=connection.authorities) as asked:
            return ask(asked)
    except (AssignmentError, TokenFileError, TrustError) as error:
        _tell(connection, "usage", str(error))
        return fail(str(error), Exit.USAGE)
    except ControlUnreachableError as error:
        _tell(connection, "unreachable", str(error))
        return fail(str(error), Exit.UNREACHABLE)
    except ControlAnswerError as error:
        _tell(connection, error.code, error.message, error.field)
        return _refused(error)


def _refused(error: ControlAnswerError) -> Exit:
    if isinstance(error, StaleError):
        return fail(error.message, Exit.CONFLICT)
    if isinstance(error, UnauthorizedError):
        wanted = "control wants a token that it knows: --token-file FILE, made by `kvdeck token new`"
        return fail(wanted if error.status == _UNAUTHORIZED else error.message, Exit.REFUSED)
    return fail(f"{error.field}: {error.message}" if error.field else error.message, Exit.REFUSED)


def _tell(connection: Connection, code: str, message: str, field: str | None = None) -> None:
    """A refusal for programs."""
    if connection.json:
        told = ErrorView(error=ErrorDetail(code=code, message=message, field=field))
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n")


def show(connection: Connection, view: V, draw: Callable[[V], Iterable[RenderableType]]) -> Exit:
    """Print an answer of control: drawn for people, or as it came."""
    console = Console()
    if connection.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(view), indent=2).decode() + "\n")
        return Exit.APPLIED
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    for part in draw(view):
        console.print(part)
    return Exit.APPLIED


def fail(message: str, code: Exit) -> Exit:
    """Say on standard error why there is no answer; `code`."""
    Console(stderr=True, soft_wrap=True).print(message, style="red", markup=False, highlight=False)
    return code


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an id without a name, as in a container
        return None
