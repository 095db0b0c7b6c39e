"""`python -m exporters`: parses the command line and serves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import httpx
from rich.console import Console

from exporters.app import Settings, serve
from exporters.explain import as_json, explain, show
from stack.adapters import logs
from stack.adapters.exposition import ExpositionError
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


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--listen", default="127.0.0.1:9410", callback=_address, metavar="HOST:PORT", help="Where /metrics and /healthz are.")
@click.option("--targets", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Engines, as file_sd.")
@click.option("--lmcache", multiple=True, callback=_named, metavar="NAME=URL", help="HTTP port of an LMCache server; repeatable.")
@click.option("--store", multiple=True, callback=_named, metavar="NAME=URL", help="redis:// URL of an L2 store; repeatable.")
@click.option("--router", multiple=True, callback=_named, metavar="NAME=URL", help="Another product's router; repeatable.")
@click.option("--timeout", default=4.0, type=click.FloatRange(0.1, 60.0), help="Seconds a scrape may take; below Prometheus' own.")
@click.pass_context
def main(
    ctx: click.Context,
    listen: tuple[str, int],
    targets: Path | None,
    lmcache: dict[str, str],
    store: dict[str, str],
    router: dict[str, str],
    timeout: float,
) -> None:
    """Show engines, KV cache tiers and KV transfers as Prometheus series."""
    if ctx.invoked_subcommand is not None:
        return
    logs.configure()
    serve(Settings(*listen, targets, {"lmcache": lmcache, "store": store, "routers": router}, timeout))


@main.command("explain")
@click.argument("url", metavar="ENGINE_URL")
@click.option("--seconds", default=4.0, type=click.FloatRange(0.1, 60.0), help="How long the engine may take.")
@click.option("--json", "as_document", is_flag=True, help="One JSON document.")
def explain_command(url: str, seconds: float, as_document: bool) -> None:
    """Say how each quantity of one vLLM engine is known: from which of its metrics, or why it is not.

    ENGINE_URL is where its /metrics is, such as http://127.0.0.1:8100.
    """
    try:
        found = asyncio.run(explain(url.rstrip("/").removesuffix("/metrics"), seconds))
    except (httpx.HTTPError, httpx.InvalidURL, ExpositionError) as error:
        raise click.ClickException(f"{url} cannot be read: {str(error) or type(error).__name__}") from error
    if as_document:
        click.echo(as_json(found))
    else:
        show(found, Console())


if __name__ == "__main__":
    main(prog_name="kvdeck exporter")
