"""Options of the exporter's command line that are checked or made here."""

from __future__ import annotations

import inspect
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

import exporters.collectors  # registers every collector  # noqa: F401
from exporters.allowed import Allowed, allowed
from exporters.collector import collectors, runs_by_default
from exporters.node import INFINIBAND, SHARED_MEMORY, TIER_DAEMON, Node
from exporters.shard import Shard
from stack.config import address
from stack.engines.lmcache_l2 import L2FormatError
from stack.engines.lmcache_l2 import address as l2_address

_PREFIX = "collector_"
MOST_SHARDS = 1000


NamedUrls = Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, str]]


def named_urls(*schemes: str) -> NamedUrls:
    """Reads several `NAME=URL`, of one of `schemes`, by name. Raises BadParameter, which repeats no URL: it may hold a password."""
    begins = " or ".join(f"{scheme}://" for scheme in schemes)

    def read(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        named: dict[str, str] = {}
        for value in values:
            name, separator, url = value.partition("=")
            scheme, told, rest = url.partition("://")
            if not (name and separator):
                raise click.BadParameter("a value is not NAME=URL", ctx, param)
            if scheme not in schemes or not (told and rest):
                raise click.BadParameter(f"the URL of {name!r} does not begin with {begins}", ctx, param)
            if name in named:
                raise click.BadParameter(f"{name!r} is named twice", ctx, param)
            named[name] = url.rstrip("/")
        return named

    return read


http_urls = named_urls("http", "https")


def listen_address(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, and of `:PORT`, which is every address. Raises BadParameter."""
    try:
        return address(f"0.0.0.0{value}" if value.startswith(":") else value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def l2_url(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A URL that names an L2. Raises BadParameter, which does not repeat the URL: it may hold a password."""
    if value is not None:
        try:
            l2_address(value)
        except L2FormatError as error:
            raise click.BadParameter(f"{error}, such as redis://store:6379", ctx, param) from error
    return value


def path(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A path of the exporter. Raises BadParameter."""
    if not value.startswith("/") or value in {"/", "/healthz", "/probe"}:
        raise click.BadParameter(f"{value!r} is not a path of its own, such as /metrics", ctx, param)
    return value


def shard(ctx: click.Context, param: click.Parameter, value: str) -> Shard:
    """The exporter's part of the targets, of `I/N`, I from 0. Raises BadParameter."""
    index, _, count = value.partition("/")
    if not (index.isdecimal() and count.isdecimal() and int(index) < int(count) <= MOST_SHARDS):
        raise click.BadParameter(f"{value!r} is not I/N with I from 0 to N-1, N at most {MOST_SHARDS}", ctx, param)
    return Shard(int(index), int(count))


def authority(ctx: click.Context, param: click.Parameter, value: str | None) -> ssl.SSLContext | None:
    """Who vouches for targets of https, of a file of certificates. Raises BadParameter."""
    try:
        return None if value is None else ssl.create_default_context(cafile=value)
    except OSError as error:  # not there, or no certificates
        raise click.BadParameter(f"{value!r}: {error}", ctx, param) from error


def probe_allow(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> Allowed:
    """What may be probed. Raises BadParameter."""
    try:
        return allowed(values)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def collector_switches(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--collector.NAME/--no-collector.NAME` for every registered collector."""
    for name in reversed(collectors.names()):
        switch = click.option(
            f"--collector.{name}/--no-collector.{name}",
            f"{_PREFIX}{name}",
            default=runs_by_default(name),
            show_default=False,  # it would be told as the switch's own name
            help=f"{_about(name)}  [default: {'on' if runs_by_default(name) else 'off'}]",
        )
        command = switch(command)
    return command


def switched_on(switches: Mapping[str, Any]) -> frozenset[str]:
    """Names of the collectors whose switch is on."""
    return frozenset(name for name in collectors if switches[f"{_PREFIX}{name}"])


def node_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds what the collectors that look at this machine take."""
    segment = click.option(
        "--tier_daemon.segment", "shared_memory", default=SHARED_MEMORY, type=click.Path(path_type=Path), metavar="PATH",
        help="What HyperPod's tiered storage shares with engines, in the node's own /dev/shm.",
    )  # fmt: skip
    daemon = click.option(
        "--tier_daemon.url", "tier_daemon", default=TIER_DAEMON, callback=_http_url, metavar="URL",
        help="HyperPod's tiered storage on this node.",
    )  # fmt: skip
    devices = click.option(
        "--fabric.root", "infiniband", default=INFINIBAND, type=click.Path(path_type=Path), metavar="PATH",
        help="Where the kernel shows RDMA devices.",
    )  # fmt: skip
    return daemon(segment(devices(command)))


def node(options: Mapping[str, Any]) -> Node:
    """This machine, from the options of `node_options`."""
    return Node(options["tier_daemon"], options["shared_memory"], options["infiniband"])


def _http_url(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise click.BadParameter(f"{value!r} is not a URL, such as {TIER_DAEMON}", ctx, param)
    return value


def _about(name: str) -> str:
    return (inspect.getdoc(collectors.factory(name)) or "").partition("\n")[0]
