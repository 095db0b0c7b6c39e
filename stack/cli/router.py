"""`kvdeck router`: the data plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stack.cli.kubernetes_options import kubernetes_options, selected
from stack.cli.options import host_port, router_name

if TYPE_CHECKING:
    from stack.wiring.router_options import RouterOptions

_FILE = click.Path(path_type=Path, dir_okay=False)
_RATE = click.FloatRange(1)
_EXISTING = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.option(
    "--listen", default="127.0.0.1:8000", show_default=True, callback=host_port, metavar="HOST:PORT", help="Where clients come."
)
@click.option(
    "--id", "router_id", default="router-0", show_default=True, callback=router_name, help="This router's name at control."
)
@click.option("--targets", type=_FILE, help="The fleet: a file_sd file, watched. This, or --kubernetes-selector.")
@click.option("--control-url", help="Follow this control. Without it the router goes on with --config.")
@click.option("--control-token-file", type=_EXISTING, help="Bearer token for control.")
@click.option("--control-ca-file", type=_EXISTING, help="PEM file: whose certificate control has, if none that all trust.")
@click.option("--engine-token-file", type=_EXISTING, help="Bearer token sent to engines in place of the client's Authorization.")
@click.option("--config", type=_EXISTING, help="YAML with `desired:`, used until control answers.")
@click.option("--secret-file", type=_FILE, required=True, help="Key for hashing session names; made when missing.")
@click.option("--expose-route-headers", is_flag=True, help="Say in x-kvdeck-* headers where each answer came from.")
@click.option("--observe", is_flag=True, help="Take requests that another gateway mirrors: decide and record, send nothing on.")
@click.option(
    "--max-body",
    type=click.IntRange(1, 1024),
    default=16,
    show_default=True,
    metavar="MIB",
    help="Larger requests are refused unread, with 413.",
)
@click.option("--drain", default=30.0, show_default=True, metavar="SECONDS", help="How long streams may finish on SIGTERM.")
@click.option(
    "--handover-limit",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="No decode engine gets a prefill engine's KV later than this. Well below the engines' lease (kv_lease_duration, 30 s).",
)
@click.option("--prefill-rate", type=_RATE, default=10_000, show_default=True, metavar="TOKENS/S", help="What an engine computes.")
@click.option("--l1-rate", type=_RATE, default=100_000, show_default=True, metavar="TOKENS/S", help="What it loads from L1.")
@click.option(
    "--l2-rate",
    type=_RATE,
    default=33_000,
    show_default=True,
    metavar="TOKENS/S",
    help="What it loads from L2. All three hold until an engine's requests have shown its own rates.",
)
@click.option("--kv-events-bind", metavar="ENDPOINT", help="Where engines with a kv_topic connect to, such as tcp://10.0.0.9:5557.")
@click.option("--index-blocks", default=8_000_000, show_default=True, help="KV blocks remembered of all engines, 200 bytes each.")
@click.option("--index-blocks-per-rank", default=2_000_000, show_default=True, help="The same of one data-parallel rank.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that share the port.")
@kubernetes_options
def command(
    listen: tuple[str, int],
    router_id: str,
    targets: Path | None,
    control_url: str | None,
    control_token_file: Path | None,
    control_ca_file: Path | None,
    engine_token_file: Path | None,
    config: Path | None,
    secret_file: Path,
    expose_route_headers: bool,
    observe: bool,
    max_body: int,
    drain: float,
    handover_limit: float,
    prefill_rate: float,
    l1_rate: float,
    l2_rate: float,
    kv_events_bind: str | None,
    index_blocks: int,
    index_blocks_per_rank: int,
    workers: int,
    kubernetes: dict[str, Any],
) -> None:
    """Route OpenAI requests to the fleet's engines.

    With several --workers each has its own index and its own counts, and is a router of its own to control (router-0-w0, ...);
    /metrics tells of all of them. Limits on what is under way hold for each worker: give them their share.
    """
    if workers > 1 and kv_events_bind is not None:
        raise click.UsageError("--kv-events-bind is for one process; let the engines bind, and every worker connects to them")
    pods = selected(kubernetes)
    engines = targets or pods
    if engines is None or (targets and pods):
        raise click.UsageError("one of --targets and --kubernetes-selector says which engines there are")
    import msgspec
    from msgspec.structs import replace

    from stack.adapters.plain_yaml import PlainYamlError
    from stack.adapters.target_file import check
    from stack.kube.access import AccessError
    from stack.model.rates import PROFILE
    from stack.model.target import TargetFileError
    from stack.registry import UnknownNameError
    from stack.router.crew import CrewError
    from stack.router.sessions import secret_from
    from stack.router.settings import RouterSettings
    from stack.wiring.router_options import RouterOptions, desired_from

    try:
        options = RouterOptions(
            host=listen[0],
            port=listen[1],
            router_id=router_id,
            targets=engines,
            secret=secret_from(secret_file),
            control_url=control_url,
            control_token=_token(control_token_file),
            control_authorities=control_ca_file,
            engine_authorization=_bearer(_token(engine_token_file)),
            kv_events_bind=kv_events_bind,
            expose_route_headers=expose_route_headers,
            observe=observe,
            body_bytes=max_body << 20,
            desired=None if config is None else desired_from(config.read_bytes()),
            profile=replace(PROFILE, prefill_tokens_per_s=prefill_rate, l1_tokens_per_s=l1_rate, l2_tokens_per_s=l2_rate),
            settings=RouterSettings(
                drain_s=drain,
                handover_limit_s=handover_limit,
                index_blocks=index_blocks,
                index_blocks_per_rank=index_blocks_per_rank,
            ),
        )
        if targets is not None:
            check(targets)
        _run(options, workers)
    except (PlainYamlError, msgspec.ValidationError, UnknownNameError) as error:
        raise click.ClickException(f"{config}: {error}") from error
    except TargetFileError as error:
        raise click.ClickException(f"--targets {error}") from error
    except (OSError, CrewError, AccessError) as error:
        raise click.ClickException(str(error)) from error


def _run(options: RouterOptions, workers: int) -> None:
    """Imports only what this process is going to be: the one that leads workers is no router itself."""
    if workers == 1:
        from stack.wiring import router_process

        router_process.run(options)
    else:
        from stack.wiring import router_workers

        router_workers.run(options, workers)


def _token(file: Path | None) -> str | None:
    return None if file is None else file.read_text("utf-8").strip()


def _bearer(token: str | None) -> str | None:
    return None if token is None else f"Bearer {token}"
