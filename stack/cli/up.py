"""`kvdeck up`: the one-machine stack."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--prefill", type=click.IntRange(0, 64), metavar="N", help="Prefill engines [default: 1]; 0 means no disaggregation.")
@click.option("--decode", type=click.IntRange(1, 64), metavar="N", help="Decode engines [default: 2].")
@click.option("--no-traffic", is_flag=True, help="Send nothing; without it gentle traffic shows the stack at work.")
@click.option(
    "--engines",
    type=click.Choice(["vllm", "emulated"]),
    default="vllm",
    show_default=True,
    help="Real engines, or emulated ones where those cannot run.",
)
@click.option(
    "--profile", metavar="NAME", help="What emulated engines are like, as in `kvdeck emulator` [default: laptop-smollm2]."
)
@click.option("--detach", is_flag=True, help="Return once everything serves.")
@click.option("--yes", is_flag=True, help="Never ask (for scripts).")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="YAML with 'desired:' (as in GET /v1/state) and 'local:' (sizes, ports and the like).",
)
@click.option(
    "--ports-from", type=click.IntRange(1024, 65000), metavar="P", help="Pack all ports from P instead of 8000, 8010, ..."
)
@click.option(
    "--decisions-dir", type=click.Path(path_type=Path, file_okay=False), help="Keep routing decisions in files there, for replay."
)
def command(
    prefill: int | None,
    decode: int | None,
    no_traffic: bool,
    engines: str,
    profile: str | None,
    detach: bool,
    yes: bool,
    config: Path | None,
    ports_from: int | None,
    decisions_dir: Path | None,
) -> None:
    """Install what is missing, start the whole stack on this machine, print where it is.

    \b
    Starts, on loopback, with logs in .kvdeck/logs: the KV cache tiers (LMCache, a Redis),
    vLLM engines in a prefill and a decode pool, the router, control, the exporter,
    Prometheus, Alertmanager, the dashboard, and gentle traffic.

    Stays until Ctrl-C and then stops everything; with --detach it goes on until `kvdeck down`.
    Where the stack runs already, or another `kvdeck up` is starting it, returns once it serves.
    One that starts anew begins as configured: what was changed live before (ctl set, drain) is history, for ctl rollback.
    """
    from stack.local.home import home_layout
    from stack.local.install.plan import EngineKind
    from stack.local.leftovers import StubbornError
    from stack.local.terminal import terminal
    from stack.wiring.up import UpError, UpOptions, run

    options = UpOptions(
        prefill=prefill,
        decode=decode,
        traffic=not no_traffic,
        engines=EngineKind(engines),
        detach=detach,
        config=config,
        ports_from=ports_from,
        decisions_dir=decisions_dir,
        profile=profile,
    )
    try:
        code = run(home_layout(), options, terminal())
    except (UpError, StubbornError) as error:
        raise click.ClickException(str(error)) from error
    raise SystemExit(code)
