"""Whether a token is somebody's: control says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dashboard.control_client import PageClient
from dashboard.entrance.form import Said
from stack.api.answers import ControlAnswerError, ControlUnreachableError, UnauthorizedError
from stack.api.experiment_client import ExperimentClient
from stack.api.self_schema import SelfView
from stack.control.access import Role

LONGEST = 512
Client = Callable[[str], ExperimentClient]


def clients(url: str, authorities: Path | None, actor: str) -> Client:
    """What makes control's client with a token."""
    return lambda token: PageClient(url, token=token, actor=actor, authorities=authorities)


def recognised(token: str, client: Client) -> tuple[ExperimentClient, SelfView] | Said:
    """The client with that token and whom it stands for, or why nobody is signed in. Blocks. Raises TrustError."""
    if not 0 < len(token) <= LONGEST or not token.isascii() or not token.isprintable():
        return Said.WRONG
    control = client(token)
    said = _person(control)
    if isinstance(said, Said):
        control.close()
        return said
    return control, said


def _person(control: ExperimentClient) -> SelfView | Said:
    try:
        person = control.myself()
    except UnauthorizedError:
        return Said.WRONG
    except (ControlUnreachableError, ControlAnswerError):
        return Said.AWAY
    if not person.tokens:
        return Said.TOKENLESS
    return Said.MACHINE if person.role is Role.ROUTER else person
