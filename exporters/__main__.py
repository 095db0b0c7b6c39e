"""`python -m exporters`: parses the command line and serves."""

from __future__ import annotations

import asyncio
import ssl
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import httpx
from rich.console import Console

from exporters.allowed import Allowed
from exporters.explain import as_json, explain, show
from exporters.explain_store import SCHEMES, explain_store
from exporters.kubernetes_options import cache_pods, engine_pods, kubernetes_options
from exporters.options import (
    authority,
    collector_switches,
    http_urls,
    l2_url,
    listen_address,
    named_urls,
    node,
    node_options,
    path,
    probe_allow,
    shard,
    switched_on,
)
from exporters.serving import serve
from exporters.settings import Settings
from exporters.shard import Shard
from exporters.web_config import WebConfigError
from stack.adapters import logs
from stack.adapters.exposition import ExpositionError
from stack.kube.access import AccessError


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--target.file", "targets", multiple=True, metavar="FILE",
    help="Engines, as file_sd: JSON, or YAML by its ending; a pattern such as fleet/*.yml; repeatable.",
)  # fmt: skip
@click.option("--engine", multiple=True, callback=http_urls, metavar="NAME=URL", help="A vLLM engine; repeatable.")
@click.option(
    "--lmcache",
    multiple=True,
    callback=http_urls,
    envvar="KVDECK_LMCACHE",
    show_envvar=True,
    metavar="NAME=URL",
    help="HTTP port of an LMCache server, its coordinator, or its API server in an engine; repeatable.",
)
@click.option(
    "--store", multiple=True, callback=named_urls("redis", "rediss", "unix"), metavar="NAME=URL",
    envvar="KVDECK_STORE", show_envvar=True, help="redis:// URL of an L2 store; repeatable.",
)  # fmt: skip
@click.option(
    "--store.sample", "store_sample", default=200, type=click.IntRange(0, 10_000), metavar="KEYS",
    help="Of each store's keys, look at about so many a scrape to tell whose KV it holds; 0: at none.",
)  # fmt: skip
@click.option(
    "--l2.expected-url", "expected_l2", callback=l2_url, metavar="URL",
    envvar="KVDECK_EXPECTED_L2", show_envvar=True,
    help="The L2 that every LMCache should use, such as redis://store:6379: say which do not.",
)  # fmt: skip
@click.option("--router", multiple=True, callback=http_urls, metavar="NAME=URL", help="Another product's router; repeatable.")
@click.option(
    "--scrape.timeout", "timeout", default=4.0, type=click.FloatRange(0.1, 60.0), metavar="SECONDS",
    help="What a scrape may take; below Prometheus' own.",
)  # fmt: skip
@click.option(
    "--scrape.ca-file", "vouching", callback=authority, metavar="FILE",
    help="Certificates of who vouches for targets of https; those the system trusts where it is not given.",
)  # fmt: skip
@click.option(
    "--cache.interval", "cache", type=click.FloatRange(1.0, 600.0), metavar="SECONDS",
    help="Read targets this often, and answer with the last time's samples; off: read them when asked.",
)  # fmt: skip
@click.option(
    "--shard", "part", default="0/1", callback=shard, metavar="I/N",
    help="Read only the I-th of N parts of the targets, I from 0; the same N for all.",
)  # fmt: skip
@click.option(
    "--probe.allow", "probed", multiple=True, callback=probe_allow, metavar="CIDR|HOST",
    help="Read at /probe?target=&module= what is in this network, or has such a name (*.llm.svc); repeatable. Off without one.",
)  # fmt: skip
@click.option(
    "--web.listen-address", "listen", default="127.0.0.1:9410", callback=listen_address, metavar="HOST:PORT",
    help="Where the pages are; :PORT is every address.",
)  # fmt: skip
@click.option("--web.telemetry-path", "telemetry", default="/metrics", callback=path, metavar="PATH", help="Where the metrics are.")
@click.option(
    "--web.config.file", "web", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="TLS and basic auth, in the format of Prometheus' exporters.",
)  # fmt: skip
@node_options
@kubernetes_options
@collector_switches
@click.pass_context
def main(
    ctx: click.Context,
    /,
    targets: tuple[str, ...],
    engine: dict[str, str],
    lmcache: dict[str, str],
    store: dict[str, str],
    store_sample: int,
    expected_l2: str | None,
    router: dict[str, str],
    timeout: float,
    vouching: ssl.SSLContext | None,
    cache: float | None,
    part: Shard,
    probed: Allowed,
    listen: tuple[str, int],
    telemetry: str,
    web: Path | None,
    **more: Any,
) -> None:
    """Show engines, KV cache tiers and KV transfers as Prometheus series."""
    if ctx.invoked_subcommand is not None:
        return
    logs.configure()
    endpoints = {"engines": engine, "lmcache": lmcache, "store": store, "routers": router}
    try:
        on, here = switched_on(more), node(more)
        read = Settings(*listen, targets, endpoints, timeout, telemetry, web, on, cache, part, store_sample, expected_l2, here)
        pods, servers, kubeconfig = engine_pods(more), cache_pods(more), more["kubernetes_kubeconfig"]
        serve(replace(read, authority=vouching, probe=probed, pods=pods, cache_pods=servers, kubeconfig=kubeconfig))
    except (WebConfigError, AccessError) as error:
        raise click.ClickException(str(error)) from error


@main.command("explain")
@click.argument("url", metavar="URL", envvar="KVDECK_EXPLAIN_URL")
@click.option("--seconds", default=4.0, type=click.FloatRange(0.1, 60.0), help="How long the target may take.")
@click.option("--json", "as_document", is_flag=True, help="One JSON document.")
def explain_command(url: str, seconds: float, as_document: bool) -> None:
    """Say how each quantity of one vLLM engine, LMCache or store is known: from which of its metrics, or why it is not.

    URL is where its /metrics is, such as http://127.0.0.1:8100, or a store's, such as redis://127.0.0.1:6379; one with a
    password belongs into KVDECK_EXPLAIN_URL, which no list of processes shows.
    """
    asked = explain_store(url, seconds) if url.startswith(SCHEMES) else explain(url.rstrip("/").removesuffix("/metrics"), seconds)
    try:
        found = asyncio.run(asked)
    except (httpx.HTTPError, httpx.InvalidURL, ExpositionError) as error:
        place = url.rpartition("@")[2]  # what stands before it may be a password
        raise click.ClickException(f"{place} cannot be read: {str(error) or type(error).__name__}") from error
    if as_document:
        click.echo(as_json(found))
    else:
        show(found, Console(width=None if sys.stdout.isatty() else 160))


if __name__ == "__main__":
    main(prog_name="kvdeck exporter")
