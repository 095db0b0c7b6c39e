"""What `kvdeck up` was told to run, put before control, which otherwise goes on with what it kept from an earlier run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from stack.api.client import ControlClient, ControlError
from stack.api.tokens import TokenFileError, read_token
from stack.local.settings import StackConfig

ACTOR = "kvdeck up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a person said on the command line; the rest of the configuration is defaults, which overrule nothing kept."""

    prefill: bool = False
    decode: bool = False
    desired: bool = False


def patch(config: StackConfig, told: Told) -> dict[str, object]:
    """The merge patch for what was said; empty when nothing was."""
    if told.desired:
        return {"models": {config.model: msgspec.to_builtins(config.desired.models[config.model])}}
    sizes = {"prefill": (told.prefill, config.pools.prefill), "decode": (told.decode, config.pools.decode)}
    pools = {name: {"replicas": pool.replicas} for name, (said, pool) in sizes.items() if said}
    return {"models": {config.model: {"pools": pools}}} if pools else {}


def assert_wanted(url: str, token_file: Path | None, config: StackConfig, told: Told) -> str | None:
    """Changes control's state where it differs from what was said; a line when that failed."""
    wanted = patch(config, told)
    if not wanted:
        return None
    try:
        with ControlClient(url, token=read_token(token_file), actor=ACTOR) as client:
            state = client.state()
            if client.change(wanted, state.generation, dry_run=True).diff:
                client.change(wanted, state.generation, comment="as told on the command line")
    except (ControlError, TokenFileError) as error:
        return f"control goes on with the state it kept: {error}"
    return None
