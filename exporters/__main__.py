"""`python -m exporters`: parses the command line and serves."""

from __future__ import annotations

from pathlib import Path

import click

from exporters.app import Settings, serve
from stack.adapters import logs
from stack.config import address


def _named(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    named: dict[str, str] = {}
    for value in values:
        name, separator, url = value.partition("=")
        if not (name and separator and "://" in url):
            raise click.BadParameter(f"{value!r} is not NAME=URL", ctx, param)
        if name in named:
            raise click.BadParameter(f"{name!r} is named twice", ctx, param)
        named[name] = url.rstrip("/")
    return named


def _address(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, int]:
    try:
        return address(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--listen", default="127.0.0.1:9410", callback=_address, metavar="HOST:PORT", help="Where /metrics and /healthz are.")
@click.option("--targets", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Engines, as file_sd.")
@click.option("--lmcache", multiple=True, callback=_named, metavar="NAME=URL", help="HTTP port of an LMCache server; repeatable.")
@click.option("--store", multiple=True, callback=_named, metavar="NAME=URL", help="redis:// URL of an L2 store; repeatable.")
@click.option("--router", multiple=True, callback=_named, metavar="NAME=URL", help="Another product's router; repeatable.")
@click.option("--timeout", default=4.0, type=click.FloatRange(0.1, 60.0), help="Seconds a scrape may take; below Prometheus' own.")
def main(
    listen: tuple[str, int],
    targets: Path | None,
    lmcache: dict[str, str],
    store: dict[str, str],
    router: dict[str, str],
    timeout: float,
) -> None:
    """Show engines, KV cache tiers and KV transfers as Prometheus series."""
    logs.configure()
    serve(Settings(*listen, targets, {"lmcache": lmcache, "store": store, "routers": router}, timeout))


if __name__ == "__main__":
    main(prog_name="kvdeck exporter")
