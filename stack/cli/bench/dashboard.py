"""`kvdeck bench dashboard`: how long people wait for the dashboard."""

from __future__ import annotations

import sys

import click

_SECONDS = click.FloatRange(min=0)


@click.command()
@click.option("--engines", type=click.IntRange(1, 2000), multiple=True, default=(16, 1000), show_default=True, help="Fleet sizes.")
@click.option("--history", type=_SECONDS, default=120.0, show_default=True, help="Seconds that a fleet is scraped beforehand.")
@click.option("--seconds", type=click.FloatRange(20), default=60.0, show_default=True, help="How long pages are left open.")
@click.option("--sessions", type=click.IntRange(0, 50), default=10, show_default=True, help="Pages open at once; 0: none.")
@click.option("--paints", type=click.IntRange(1), default=5, show_default=True, help="How often Overview is opened, each cache.")
@click.option("--rate", type=click.FloatRange(0, min_open=True), default=4.0, show_default=True, help="Requests a second.")
@click.option("--force", is_flag=True, help="Also on one core, where the figures mean nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def command(
    engines: tuple[int, ...], history: float, seconds: float, sessions: int, paints: int, rate: float, force: bool, as_json: bool
) -> None:
    """What the dashboard lets people wait for, and what their open pages cost.

    \b
    A real Chromium before emulated engines with exporter, router, control and a real Prometheus with the shipped rules.
    The dashboard has one core, the fleet the others, Prometheus and the browser have all. For each fleet:
    - the first useful paint of Overview (verdict and headline numbers), browser cache empty and filled;
    - a refresh: from its first request to the last change on the page;
    - open sessions: the dashboard's share of its core, and its memory;
    - every page's queries to Prometheus in one refresh, by Prometheus' own log;
    - Prometheus hung and down: how soon a page says so, and whether another one can be opened.

    Needs Chromium on PATH and playwright (kvdeck[test]). Ends with 1 when something that is promised did not hold.
    """
    import msgspec
    from rich.console import Console

    from stack.bench.dashboard.browser import BrowserError
    from stack.bench.dashboard.display import lines
    from stack.bench.dashboard.trial import Amount
    from stack.bench.router.placement import OneCoreError
    from stack.bench.router.process import ProcessError
    from stack.local.home import home_layout
    from stack.local.install.plan import InstallError
    from stack.wiring.bench_dashboard import BenchOptions, run

    amount = Amount(paints=paints, seconds=seconds, sessions=sessions)
    options = BenchOptions(engines=engines, history=history, rate=rate, amount=amount, force=force)
    try:
        report = run(home_layout(), options, Console(stderr=True))
    except OneCoreError as error:
        raise click.ClickException(f"{error}: the figures would mean nothing (--force measures all the same)") from error
    except (BrowserError, InstallError, ProcessError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        click.echo("\n".join(lines(report)))
    sys.exit(1 if report.faults else 0)
