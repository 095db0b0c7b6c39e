"""What the one-machine stack can be told: a YAML file's `desired:` and `local:`, and the defaults of both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from stack.adapters.plain_yaml import PlainYamlError, parse, read
from stack.config import Ports
from stack.control.merge import merge
from stack.control.mode import ControlSection, Mode
from stack.control.refusal import RefusedError
from stack.control.state import NO_TIERS, Desired, Dpd, ModelState, Pools, PoolState
from stack.control.tiers import Tiers
from stack.control.valid import converted

MODEL = "smollm2"
# The model is small: from about this many tokens on, moving KV beats computing it beside running decodes.
ROUTING_THRESHOLD = 512

Positive = Annotated[float, msgspec.Meta(gt=0)]
Port = Annotated[int, msgspec.Meta(ge=1024, le=65000)]


class LocalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every knob of the local stack that is not desired state. Sizes in GB are 10^9 bytes, `_gib` 2^30."""

    # float32, so that an answer's text does not depend on where its KV came from: at bfloat16 even one engine
    # differs from itself (cold against warm) now and then, and nobody could tell a wrong transfer from rounding.
    dtype: Literal["float32", "bfloat16"] = "float32"
    # 4,736 tokens at float32 (46,080 bytes each): small enough to see eviction, room for two 2,000-token prompts.
    kv_cache_bytes: Annotated[int, msgspec.Meta(ge=1 << 20)] = 220_000_000
    # LMCache's chunks must be whole blocks; 64 divides 256 and keeps the router's index small.
    block_size: Literal[16, 32, 64, 128] = 64
    chunk_size: Annotated[int, msgspec.Meta(multiple_of=128, ge=128)] = 256
    max_model_len: Annotated[int, msgspec.Meta(ge=256, le=8192)] = 4096
    l1_gib: Positive = 0.5
    store_gib: Positive = 2.0
    # Beyond this many cores a 135M model gains nothing; the rest stays free for everything else.
    cores_per_pool: Annotated[int, msgspec.Meta(ge=1)] = 8
    # A third engine on a core still joins and serves, slowly; beyond four they only wait for each other.
    engines_per_core: Annotated[int, msgspec.Meta(ge=1)] = 4
    # Packs every port from here, in the order of stack.config.Ports; None: the documented ports.
    ports_from: Port | None = None
    traffic_rate: Positive = 0.5
    traffic_scenario: Literal["chat", "documents", "mixed"] = "mixed"
    emulator_profile: str = "laptop-smollm2"
    # People's tokens for control (`kvdeck token new`); the stack's own processes get theirs at each start. None: control trusts
    # loopback.
    tokens_file: str | None = None
    # Routing decisions in files, for replay, beside the newest ones that control has in memory; None: no files.
    decisions_dir: str | None = None
    decisions_format: Literal["jsonl", "parquet"] = "jsonl"
    # A share of the sessions may try a change first (`kvdeck ctl experiment`).
    experiments: bool = False
    scrape_seconds: Annotated[int, msgspec.Meta(ge=1, le=60)] = 5
    prometheus_retention: str = "2d"

    def tokens_path(self, home: Path) -> Path | None:
        """Where people's tokens are; a relative name is in the checkout."""
        return None if self.tokens_file is None else home / self.tokens_file

    def decisions_path(self, home: Path) -> Path | None:
        """Where decisions go; a relative name is in the checkout."""
        return None if self.decisions_dir is None else home / self.decisions_dir

    @property
    def ports(self) -> Ports:
        return Ports() if self.ports_from is None else Ports.packed(self.ports_from)


class StackConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole configuration. `desired` names exactly one model: that is what the engines serve it as."""

    desired: Desired
    local: LocalSettings = LocalSettings()
    control: ControlSection = ControlSection()

    @property
    def model(self) -> str:
        return next(iter(self.desired.models))

    @property
    def pools(self) -> Pools:
        return self.desired.models[self.model].pools

    def sized(self, prefill: int | None, decode: int | None) -> StackConfig:
        """The same with other pool sizes; None leaves one as it is. Without a prefill engine there is no DPD.

        Raises StackConfigError.
        """
        pools = Pools(
            prefill=_resized(self.pools.prefill, prefill),
            decode=_resized(self.pools.decode, decode),
        )
        if pools.decode.replicas == 0:
            raise StackConfigError("no decode engine: answers come from those, so ask for one at least")
        state = msgspec.structs.replace(self.desired.models[self.model], pools=pools)
        if pools.prefill.replicas == 0:
            state = msgspec.structs.replace(state, dpd=msgspec.structs.replace(state.dpd, enabled=False))
        return msgspec.structs.replace(self, desired=msgspec.structs.replace(self.desired, models={self.model: state}))


class StackConfigError(ValueError):
    """The configuration cannot be used; the message is one line that names the key."""


class _Models(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    models: dict[str, dict[str, Any]]
    tiers: Tiers = NO_TIERS


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    desired: _Models | None = None
    local: LocalSettings = LocalSettings()
    control: ControlSection = ControlSection()


def default_desired() -> Desired:
    """One prefill and two decode engines: DPD and routing are both seen, and two cores bear it."""
    pools = Pools(prefill=PoolState(replicas=1), decode=PoolState(replicas=2))
    dpd = Dpd(enabled=True, routing_threshold=ROUTING_THRESHOLD)
    return Desired(models={MODEL: ModelState(strategy="prefix_aware", dpd=dpd, pools=pools)})


def load(path: Path | None) -> StackConfig:
    """The configuration in `path`; where it is silent, also within a model, the defaults hold. Raises StackConfigError."""
    if path is None:
        return StackConfig(desired=default_desired())
    try:
        text = read(path)
    except PlainYamlError as error:
        raise StackConfigError(f"{path} cannot be read: {error}") from error
    try:
        file = msgspec.convert(parse(text) or {}, _File)
    except (PlainYamlError, msgspec.ValidationError) as error:
        raise StackConfigError(f"{path}: {error}") from error
    if file.control.mode is Mode.DECLARATIVE:
        raise StackConfigError(f"{path}: control.mode: this stack cannot follow a file; observe or live are allowed")
    if file.desired is None:
        return StackConfig(desired=default_desired(), local=file.local, control=file.control)
    if len(file.desired.models) != 1:
        raise StackConfigError(f"{path}: desired.models names {len(file.desired.models)} models; this stack serves one")
    try:
        return StackConfig(desired=_completed(file.desired), local=file.local, control=file.control)
    except RefusedError as error:
        raise StackConfigError(f"{path}: desired.{error.field}: {error.message}") from error


def _completed(given: _Models) -> Desired:
    default = msgspec.to_builtins(default_desired().models[MODEL])
    models = {name: converted(name, merge(default, document)) for name, document in given.models.items()}
    return Desired(models=models, tiers=given.tiers)


def _resized(pool: PoolState, replicas: int | None) -> PoolState:
    return pool if replicas is None else msgspec.structs.replace(pool, replicas=replicas)
