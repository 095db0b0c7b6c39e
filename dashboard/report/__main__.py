"""`python -m dashboard.report`: parses the command line, reads, writes one file."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import click

from dashboard.charts import Span
from dashboard.desk import Desk
from dashboard.promapi import PromApi, PrometheusUnavailableError
from dashboard.report.document import html
from dashboard.report.reading import read
from dashboard.report.subject import Subject
from stack.adapters.http_access import Access
from stack.adapters.http_config import HttpConfigError, read_http_config
from stack.adapters.trust import TrustError
from stack.api.client import ControlClient
from stack.metrics import duration
from stack.metrics.family import Label

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
_OUT = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
_ANSWER_SECONDS = 60.0  # nobody looks at a blank page meanwhile
_LEAST = timedelta(minutes=5)


def _length(_context: click.Context, _option: click.Parameter, value: str) -> timedelta:
    length = timedelta(seconds=duration.seconds(value))
    if length < _LEAST:
        raise click.BadParameter(f"{value!r} is no time of at least five minutes, such as 90m, 24h or 7d")
    return length


def _moment(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value).astimezone()
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is no time such as 2026-11-30T14:00 or 2026-11-30T14:00Z") from error


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--since", "length", default="24h", metavar="DURATION", callback=_length, help="How far back: 90m, 24h, 7d.")
@click.option(
    "--until", metavar="TIME", callback=_moment, help="Where it ends, in ISO 8601; of this machine's zone if it names none. Now."
)
@click.option("--out", default="kvdeck-report.html", metavar="FILE", type=_OUT, help="Where to write it; - is stdout.")
@click.option("--model", help="This served model alone.")
@click.option("--namespace", help="Of this namespace alone, as Prometheus' labels say.")
@click.option("--cluster", help="Of this cluster alone, as Prometheus' labels say.")
@click.option("--prometheus-url", metavar="URL", default="http://127.0.0.1:9090", envvar="KVDECK_PROMETHEUS_URL")
@click.option("--prometheus-config", type=_FILE, envvar="KVDECK_PROMETHEUS_CONFIG", help="Prometheus' http_config, to ask it by.")
@click.option("--control-url", metavar="URL", envvar="KVDECK_CONTROL_URL", help="With it: drift, silences and who changed what.")
@click.option("--control-token-file", type=_FILE, envvar="KVDECK_CONTROL_TOKEN_FILE", help="A viewer's token will do.")
@click.option("--control-ca-file", type=_FILE, envvar="KVDECK_CONTROL_CA_FILE", help="PEM file: whose certificate control has.")
def main(
    length: timedelta,
    until: datetime | None,
    out: Path,
    model: str | None,
    namespace: str | None,
    cluster: str | None,
    prometheus_url: str,
    prometheus_config: Path | None,
    control_url: str | None,
    control_token_file: Path | None,
    control_ca_file: Path | None,
) -> None:
    """Write the dashboard's overview of a time as one HTML file.

    \b
        kvdeck report --since 24h
        kvdeck report --since 7d --until 2026-11-30T00:00Z --model llama-3.1-8b --out week.html
        kvdeck report --control-url http://127.0.0.1:8010 --out - | gzip > report.html.gz

    It holds what it needs and asks no network: to be mailed, or kept beside an incident. What nobody could tell is listed with the
    reason. Exits with 1 when Prometheus answers nothing.
    """
    end = until or datetime.now().astimezone()
    where = {Label.MODEL_NAME: model, Label.NAMESPACE: namespace, Label.CLUSTER: cluster}
    subject = Subject(Span(end - length, end), {label: value for label, value in where.items() if value}, current=until is None)
    try:
        desk = Desk(PromApi(prometheus_url, Access(read_http_config(prometheus_config))), deadline=_ANSWER_SECONDS)
        with ExitStack() as ending:
            control = _control(control_url, control_token_file, control_ca_file)
            if control is not None:
                ending.callback(control.close)
            report = read(desk, control, subject)
    except (PrometheusUnavailableError, HttpConfigError, TrustError, OSError) as error:
        raise click.ClickException(str(error)) from error
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %Z}"
    text = html(report, prometheus=prometheus_url, control=control_url, made=made)
    _write(out, text)


def _control(url: str | None, token: Path | None, authorities: Path | None) -> ControlClient | None:
    if not url:
        return None
    secret = None if token is None else token.read_text(encoding="utf-8").strip()
    return ControlClient(url, token=secret, actor="report", authorities=authorities)


def _write(out: Path, text: str) -> None:
    if str(out) == "-":
        sys.stdout.write(text)
        return
    out.write_text(text, encoding="utf-8")
    click.echo(f"{out}: {len(text.encode()) / 2**20:.1f} MiB", err=True)


if __name__ == "__main__":
    main(prog_name="kvdeck report")
