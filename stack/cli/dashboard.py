"""`kvdeck dashboard`: see the tiers and the routing, and steer."""

from __future__ import annotations

from pathlib import Path

import click

from stack.cli.options import host_port, prometheus_config

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.option(
    "--listen", metavar="HOST:PORT", default="127.0.0.1:8501", show_default=True, callback=host_port, help="Where browsers come."
)
@click.option("--prometheus-url", metavar="URL", default="http://127.0.0.1:9090", show_default=True, envvar="KVDECK_PROMETHEUS_URL")
@prometheus_config
@click.option("--control-url", metavar="URL", help="Steer through this control. Without it the dashboard watches Prometheus alone.")
@click.option("--control-ca-file", type=_FILE, help="PEM file: whose certificate control has, if none that all trust.")
@click.option("--sign-in", is_flag=True, help="People come with their own control tokens, and do what their roles allow.")
@click.option(
    "--control-token-file",
    type=_FILE,
    help="One token for whoever opens the dashboard on this machine; its role is everybody's.",
)
@click.option("--base-path", metavar="/PATH", default="", help="Where a proxy has it, such as /kvdeck, which it passes on as well.")
@click.option("--tls-cert", type=_FILE, help="PEM file of a certificate: answer over HTTPS.")
@click.option("--tls-key", type=_FILE, help="PEM file of its key.")
@click.option("--insecure", is_flag=True, help="Allow signing in over plain HTTP beyond loopback, where a proxy in front encrypts.")
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Without --sign-in: a name by which a proxy that asks who comes may pass requests on; repeatable.",
)
def command(
    listen: tuple[str, int],
    prometheus_url: str,
    prometheus_config: Path | None,
    control_url: str | None,
    control_ca_file: Path | None,
    sign_in: bool,
    control_token_file: Path | None,
    base_path: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    insecure: bool,
    allowed: tuple[str, ...],
) -> None:
    """Serve the dashboard.

    \b
        kvdeck dashboard                                             # watch the Prometheus of this machine
        kvdeck dashboard --control-url http://127.0.0.1:8010         # steer, too, where control has no tokens
        kvdeck dashboard --listen 0.0.0.0:8501 --sign-in --tls-cert crt.pem --tls-key key.pem \\
            --control-url https://control:8010 --control-ca-file ca.pem --prometheus-url https://prometheus:9090

    With --sign-in everybody comes with a token of `kvdeck token new`, sees what its role sees, and is named in the audit log. The
    token is kept in the dashboard's memory alone; a sign-in ends after an hour without an open page, after a week, when the token
    is taken back, and when the dashboard restarts. Beyond loopback the dashboard starts with --sign-in only.

    Behind a proxy that passes /kvdeck/ on: --base-path /kvdeck; it has to pass the Host header and WebSockets on. What a browser on
    this machine may do, its pages may not: without --sign-in only localhost, 127.0.0.1 and names of --allow-host are answered.
    """
    from stack.adapters.bearer import TokenFileError
    from stack.adapters.http_config import HttpConfigError
    from stack.adapters.trust import TrustError
    from stack.wiring.dashboard import DashboardConfigError, DashboardOptions, start

    options = DashboardOptions(
        host=listen[0],
        port=listen[1],
        prometheus_url=prometheus_url,
        prometheus_config=prometheus_config,
        control_url=control_url or None,
        control_authorities=control_ca_file,
        control_token=control_token_file,
        base=base_path.rstrip("/"),
        certificate=tls_cert,
        key=tls_key,
        sign_in=sign_in,
        insecure=insecure,
        allowed=allowed,
    )
    try:
        start(options)
    except (DashboardConfigError, TokenFileError, TrustError, HttpConfigError) as error:
        raise click.ClickException(str(error)) from error
