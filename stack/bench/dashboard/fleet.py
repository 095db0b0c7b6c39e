"""The emulated fleet that the dashboard is measured before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import httpx
import msgspec

from stack.bench.router.process import ProcessError
from stack.control.state import Desired, Dpd, ModelState, Pools, PoolState
from stack.model.target import Target
from stack.model.tier import Pool

PROFILE = "h100-llama8b-tp1"
A_MODEL = 64  # engines; a pool has no more, so a large fleet serves many models
PREFILL_SHARE = 4  # every fourth engine of a model
THRESHOLD = 512
_START_S = 30.0


class _Spec(msgspec.Struct, frozen=True, kw_only=True):
    pool: Pool
    port: int
    model: str
    model_root: str


class _Status(msgspec.Struct, frozen=True, kw_only=True):
    url: str


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One engine to be."""

    replica: str
    pool: Pool
    model: str


def members(engines: int) -> list[Member]:
    """A fleet of so many, in as few models of equal size as that takes; the first of four engines prefills, unless it is alone."""
    models = -(-engines // A_MODEL)
    sizes = [engines // models + (number < engines % models) for number in range(models)]
    return [member for number, size in enumerate(sizes) for member in _members(f"bench-{number}", size)]


def _members(model: str, engines: int) -> Iterator[Member]:
    alone = engines == 1
    seats = dict.fromkeys(Pool, 0)
    for number in range(engines):
        pool = Pool.PREFILL if number % PREFILL_SHARE == 0 and not alone else Pool.DECODE
        yield Member(replica=f"{model}-{pool}-{seats[pool]}", pool=pool, model=model)
        seats[pool] += 1


def desired(fleet: Sequence[Member]) -> Desired:
    """What control is told of that fleet."""
    counts = Counter((member.model, member.pool) for member in fleet)
    return Desired(models={model: _model(counts[model, Pool.PREFILL], counts[model, Pool.DECODE]) for model in models(fleet)})


def models(fleet: Iterable[Member]) -> list[str]:
    """The models that the fleet serves, each once."""
    return list(dict.fromkeys(member.model for member in fleet))


def _model(prefill: int, decode: int) -> ModelState:
    pools = Pools(prefill=PoolState(replicas=prefill), decode=PoolState(replicas=decode))
    return ModelState(strategy="prefix_aware", dpd=Dpd(enabled=prefill > 0, routing_threshold=THRESHOLD), pools=pools)


def start(admin: str, fleet: Iterable[Member], root: str) -> list[Target]:
    """Start the engines in the emulator at `admin`, each at a port of its own; `root` has their tokenizer. Raises ProcessError."""
    with httpx.Client(base_url=admin, timeout=_START_S, trust_env=False) as client:
        return [_started(client, member, root) for member in fleet]


def _started(client: httpx.Client, member: Member, root: str) -> Target:
    spec = _Spec(pool=member.pool, port=0, model=member.model, model_root=root)
    try:
        answer = client.put(f"/engines/{member.replica}", content=msgspec.json.encode(spec))
    except httpx.HTTPError as error:
        raise ProcessError(f"the emulator does not start {member.replica}: {type(error).__name__}") from error
    if not answer.is_success:
        raise ProcessError(f"the emulator does not start {member.replica}: {answer.text[:200]}")
    url = msgspec.json.decode(answer.content, type=_Status).url
    return Target(replica=member.replica, url=url, pool=member.pool, model=member.model, model_root=root, emulated=True)
