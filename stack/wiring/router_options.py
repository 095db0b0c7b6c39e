"""What a router process is told from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from stack.adapters.plain_yaml import parse
from stack.control.skew import configured
from stack.control.state import Desired
from stack.kube.engine_pods import Selection
from stack.model.rates import PROFILE, Rates
from stack.router.exposition import Seat
from stack.router.message import Limits
from stack.router.settings import RouterSettings

SERVING = b"serving\n"
"""What a worker says on its standard output once it takes requests."""


@dataclass(frozen=True, slots=True)
class Pods:
    """Engines as pods: which, and how the API server is asked; None is as the router's own pod."""

    selection: Selection
    kubeconfig: Path | None = None


@dataclass(frozen=True, slots=True)
class RouterOptions:
    """What the command line says. `engine_authorization` replaces the clients' Authorization header on the way to engines.

    `targets` are a target file, or pods.
    `observe`: requests are mirrored here by another gateway, and sent nowhere.
    `profile` is what engines are taken to be until requests have shown otherwise.
    `seat` is that of a worker which shares the port with others; None for a router that is one process.
    """

    host: str
    port: int
    router_id: str
    targets: Path | Pods
    secret: bytes
    control_url: str | None = None
    control_token: str | None = None
    control_authorities: Path | None = None
    engine_authorization: str | None = None
    kv_events_bind: str | None = None
    expose_route_headers: bool = False
    observe: bool = False
    desired: Desired | None = None
    seat: Seat | None = None
    profile: Rates = PROFILE
    body_bytes: int = Limits().body_bytes
    settings: RouterSettings = field(default_factory=RouterSettings)


def desired_from(document: bytes) -> Desired | None:
    """The `desired:` of a YAML configuration file, of this release's `schema:` or a newer one's; other sections are for others.

    Raises PlainYamlError, msgspec.ValidationError.
    """
    file = msgspec.convert(parse(document), dict[str, object])
    return None if file.get("desired") is None else configured(file)[0]
