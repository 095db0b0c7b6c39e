"""`kvdeck emulator`: engines without models."""

from __future__ import annotations

import click

from stack.cli.options import host_port


@click.command()
@click.option("--admin", metavar="HOST:PORT", default="127.0.0.1:8190", show_default=True, callback=host_port)
@click.option("--profile", default="laptop-smollm2", show_default=True, help="Rates of engines that name no profile.")
@click.option(
    "--time-scale", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="0.1: ten times as fast."
)
@click.option("--coordinator-url", metavar="URL", help="Where the emulated cache server reports what it holds, as LMCache's do.")
@click.option("--profiles", is_flag=True, help="List the profiles and where their numbers come from, then end.")
def command(admin: tuple[str, int], profile: str, time_scale: float, coordinator_url: str | None, profiles: bool) -> None:
    """Run any number of emulated vLLM engines in one process.

    Engines are started and stopped over the admin address: PUT, DELETE and GET /engines. They speak vLLM's API, metrics and
    KV events, keep a real prefix cache and a profile's time, and say "emulated" wherever they are asked. One on port 8100:

    \b
    curl -X PUT http://127.0.0.1:8190/engines/decode-0 \\
      -d '{"pool": "decode", "port": 8100, "model": "smollm2", "model_root": "smollm2"}'
    """
    from stack.adapters import logs
    from stack.emulator.profiles import PROFILES
    from stack.wiring.emulator import EmulatorConfigError, EmulatorSettings, run

    if profiles:
        for known in PROFILES.values():
            click.echo(f"{known.name}: {known.basis}")
        return
    if profile not in PROFILES:
        raise click.BadParameter(f"unknown; known: {', '.join(PROFILES)}", param_hint="--profile")
    logs.configure()
    try:
        run(EmulatorSettings(host=admin[0], port=admin[1], profile=profile, time_scale=time_scale, coordinator_url=coordinator_url))
    except EmulatorConfigError as error:
        raise click.ClickException(str(error)) from error
