"""`kvdeck traffic`: requests for any OpenAI endpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

_POSITIVE = click.FloatRange(0, min_open=True)


@click.command()
@click.option("--url", required=True, help="The endpoint, for example http://127.0.0.1:8000.")
@click.option("--scenario", type=click.Choice(["chat", "documents", "mixed"]), default="mixed", show_default=True)
@click.option("--rate", type=_POSITIVE, default=0.5, show_default=True, help="Requests a second, on average.")
@click.option("--duration", type=_POSITIVE, help="Seconds; without it until SIGTERM or Ctrl-C.")
@click.option("--seed", type=int, default=0, show_default=True, help="Equal seeds ask the same at the same times.")
@click.option("--model", help="The served model, where there are several.")
@click.option("--max-tokens", type=click.IntRange(1), help="Longest answer; 24, or what the trace says.")
@click.option("--concurrency-limit", "limit", type=click.IntRange(1), default=32, show_default=True, help="More is skipped.")
@click.option(
    "--trace", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Mooncake JSON lines, instead of a scenario."
)
@click.option("--scale", type=_POSITIVE, default=1.0, show_default=True, help="Stretches a trace's time: 2 is half as fast.")
@click.option("--shrink", type=_POSITIVE, default=1.0, show_default=True, help="Divides a trace's lengths.")
@click.option("--api-key", envvar="OPENAI_API_KEY", help="Sent as a bearer token.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary and the latest requests as JSON.")
def command(**options: Any) -> None:
    """Send requests to an OpenAI endpoint and tell how it answered.

    Requests come when they are due, answered or not. Chats go on over several turns behind one shared system prompt; documents are
    long and asked about again and again; mixed has one long prompt in five. Ends with 1 when a request failed.
    """
    from stack.adapters import logs
    from stack.traffic.client import EndpointError
    from stack.traffic.trace import TraceError
    from stack.wiring.traffic import TrafficSettings, run

    logs.configure()
    try:
        fine = run(TrafficSettings(**options))
    except (EndpointError, TraceError, OSError) as error:
        raise click.ClickException(str(error)) from error
    raise SystemExit(0 if fine else 1)
