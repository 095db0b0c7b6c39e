"""`kvdeck doctor`: the silent preconditions."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--targets", type=click.Path(path_type=Path, dir_okay=False), help="Engines, as Prometheus' file_sd lists them.")
@click.option("--lmcache", metavar="URL", help="HTTP port of an LMCache server, such as http://host:8080.")
@click.option("--store", metavar="URL", help="The Redis or Valkey that is meant to be L2, such as redis://host:6379.")
@click.option("--prometheus", metavar="URL", help="The Prometheus that watches the fleet.")
@click.option("--strict", is_flag=True, help="What is unknown fails too.")
@click.option("--json", "as_json", is_flag=True, help='{"checks":[{"id","group","title","verdict","evidence","why","fix"}]}')
def command(
    targets: Path | None, lmcache: str | None, store: str | None, prometheus: str | None, strict: bool, as_json: bool
) -> None:
    """Check what KV-aware routing, cache tiers and DPD silently rely on.

    Reads only. Each precondition passes, fails (with the fix), is unknown (with what would let it be known), or is of something
    the fleet does not use. Without options it looks at the stack that runs here. What only a process knows (PYTHONHASHSEED,
    connectors) is read on the engines' machine alone.

    Exits with 1 when a check fails, with --strict also when one is unknown.
    """
    from stack.doctor.examination import holds
    from stack.doctor.show import document, report
    from stack.engines.lmcache_l2 import L2FormatError
    from stack.local.terminal import terminal
    from stack.model.target import TargetFileError
    from stack.wiring.doctor import fleet, look

    try:
        found = fleet(targets, lmcache, store, prometheus)
    except FileNotFoundError as error:
        raise click.ClickException(
            f"no target file {error.filename}: give --targets FILE, or start a stack (`kvdeck up`)"
        ) from None
    except (OSError, TargetFileError) as error:
        raise click.ClickException(str(error)) from error
    try:
        results = look(found)
    except L2FormatError as error:
        raise click.BadParameter(f"{error}: give one such as redis://host:6379", param_hint="--store") from error
    if as_json:
        click.echo(document(results))
    else:
        terminal().print(report(results))
    raise SystemExit(0 if holds(results, strict=strict) else 1)
