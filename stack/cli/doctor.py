"""`kvdeck doctor`: the silent preconditions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stack.cli.options import prometheus_config

if TYPE_CHECKING:
    from stack.wiring.doctor import Fleet


@click.command()
@click.option("--targets", type=click.Path(path_type=Path, dir_okay=False), help="Engines, as Prometheus' file_sd lists them.")
@click.option("--lmcache", metavar="URL", help="HTTP port of an LMCache server, such as http://host:8080.")
@click.option(
    "--store",
    metavar="URL",
    envvar="KVDECK_CACHE_STORE",
    show_envvar=True,
    help="The Redis or Valkey that is meant to be L2, such as redis://host:6379; one with a password belongs into the variable.",
)
@click.option("--prometheus", metavar="URL", help="The Prometheus that watches the fleet.")
@prometheus_config
@click.option("--kubernetes", "selector", metavar="SELECTOR", help="Labels of the engines' pods, such as app=vllm.")
@click.option("--namespace", "namespaces", multiple=True, metavar="NAMESPACE", help="Where they are; repeatable, * is everywhere.")
@click.option("--port", default="8000", show_default=True, metavar="PORT", help="Of engines in pods: a number, or a declared name.")
@click.option("--kubeconfig", type=click.Path(path_type=Path, dir_okay=False), help="Ask by it, not as this pod's service account.")
@click.option("--strict", is_flag=True, help="What is unknown fails too.")
@click.option("--json", "as_json", is_flag=True, help='{"checks":[{"id","group","title","verdict","evidence","why","fix"}]}')
def command(strict: bool, as_json: bool, **given: Any) -> None:
    """Check what KV-aware routing, cache tiers and DPD silently rely on.

    Reads only. Each precondition passes, fails (with the fix), is unknown (with what would let it be known), or is of something
    the fleet does not use. Without options it looks at the stack that runs here. What only a process knows (PYTHONHASHSEED,
    connectors) is read on the engines' machine, or with --kubernetes in their pods' specs. That lists pods, and namespaces,
    Prometheuses, monitors and rules where it may: what no Prometheus selects is told, too.

    Exits with 1 when a check fails, with --strict also when one is unknown.
    """
    from stack.adapters.http_config import HttpConfigError
    from stack.doctor.examination import holds
    from stack.doctor.show import document, report
    from stack.engines.lmcache_l2 import L2FormatError
    from stack.kube.access import AccessError
    from stack.kube.api import KubeError
    from stack.local.terminal import terminal
    from stack.model.target import TargetFileError
    from stack.wiring.doctor import look

    try:
        found = _fleet(**given)
    except FileNotFoundError as error:
        raise click.ClickException(
            f"no target file {error.filename}: give --targets FILE, or start a stack (`kvdeck up`)"
        ) from None
    except (OSError, TargetFileError, HttpConfigError) as error:
        raise click.ClickException(str(error)) from error
    try:
        results = look(found)
    except L2FormatError as error:
        raise click.BadParameter(f"{error}: give one such as redis://host:6379", param_hint="--store") from error
    except (AccessError, KubeError, ConnectionError) as error:
        raise click.ClickException(f"engines' pods cannot be listed: {error}") from error
    if as_json:
        click.echo(document(results))
    else:
        terminal().print(report(results))
    raise SystemExit(0 if holds(results, strict=strict) else 1)


def _fleet(
    *,
    targets: Path | None,
    lmcache: str | None,
    store: str | None,
    prometheus: str | None,
    prometheus_config: Path | None,
    selector: str | None,
    namespaces: tuple[str, ...],
    port: str,
    kubeconfig: Path | None,
) -> Fleet:
    """As the options say. Raises OSError, TargetFileError, HttpConfigError."""
    from stack.adapters.http_access import Access
    from stack.adapters.http_config import read_http_config
    from stack.kube.engine_pods import Selection
    from stack.wiring.doctor import Pods, fleet

    pods = None if selector is None else Pods(Selection(selector, namespaces, port), kubeconfig)
    return fleet(targets, lmcache, store, prometheus, pods, Access(read_http_config(prometheus_config)))
