"""Who may look at all, before anybody signs in."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from stack.api.guard import loopback

START = "Start it with kvdeck dashboard --sign-in: then people sign in with their own control tokens."


def shut(listening: str | None, reached: str | None, *, sign_in: bool) -> str | None:
    """Why nothing is shown to anybody; None: it may be. `listening` is where it was told to listen, None is everywhere;
    `reached` is the address of ours that a request came to, None where that is not known.
    """
    where = next((host for host in (listening or "0.0.0.0", reached) if host and not loopback(host)), None)
    if sign_in or where is None:
        return None
    return (
        f"This dashboard listens on {where}, which others reach, and asks nobody who they are. {START}"
        " Or let it listen on 127.0.0.1 alone, behind a proxy that asks (--allow-host says under which name)."
    )


def stranger(host: str, allowed: Sequence[str]) -> str | None:
    """Why a request that names us `host` is turned away where nobody signs in; None: it is not.

    A web page from elsewhere can have its own name lead to this machine, and would steer with this machine's rights.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        name = ""
    if loopback(name) or name in {each.lower() for each in allowed}:
        return None
    return (
        "Without sign-in this dashboard answers to localhost and 127.0.0.1 only. Behind a proxy that asks who comes, start it with"
        " kvdeck dashboard --allow-host NAME."
    )


def onward(path: str | None, base: str) -> str:
    """Where to go after the sign-in: `path`, if that is a page of ours under `base`, which begins and ends with a slash."""
    sane = path and path.isascii() and path.isprintable() and "\\" not in path and not path.startswith("//")
    return path if path and sane and path.startswith(base) else base
