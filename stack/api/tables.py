"""The API's answers as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml
from rich.console import RenderableType
from rich.text import Text

from stack.api import field_tables
from stack.api.history_schema import KeptView
from stack.api.pool_views import PoolView
from stack.api.schema import AuditView, ChangeView, EngineView, RouterView, StateView
from stack.api.table import DOUBTFUL, GOOD, clock, known, table, written
from stack.control.audit import AuditRecord
from stack.control.diff import Change
from stack.control.mode import FILE_FIELD, Mode
from stack.control.state import ModelState
from stack.engines.pd.base import link


def state(view: StateView) -> Iterator[RenderableType]:
    """`kvdeck ctl get`."""
    yield Text(f"generation {view.generation}, {_mode(view)}")
    yield table("desired", ("model", "strategy", "fallback", "dpd", "prefill", "decode", "limits"), _desired(view))
    yield table("engines", ("engine", "pool", "state", "health", "looked at", "in flight", "url", ""), map(_engine, view.engines))
    if view.pools:
        yield table("pools", ("model", "pool", "runs as", "replicas", "left alone because"), map(_pool, view.pools))
    yield table("routers", ("router", "generation", "last heard of"), map(_router, view.applied.routers))
    yield Text(f"store (L2): {view.applied.store.words}")
    yield from (Text(f"experiment {name} runs on {model}", DOUBTFUL) for model, name in view.experiments.items())
    yield from field_tables.telling(view)
    yield from _drift(view)


def _mode(view: StateView) -> str:
    match view.mode:
        case Mode.LIVE:
            return "live"
        case Mode.DECLARATIVE:
            refused = next((drift for drift in view.drift if drift.field == FILE_FIELD), None)
            if refused is None:
                return f"declarative: {view.desired_file} says what is desired"
            why = refused.reason.removeprefix(f"{view.desired_file} is refused: ").removeprefix(f"{view.desired_file} ")
            return f"declarative: {view.desired_file} is refused since {clock(refused.since)}: {why}"
        case Mode.OBSERVE:
            return "observe: nothing is changed"


def drift(view: StateView) -> Iterator[RenderableType]:
    """`kvdeck ctl diff` without assignments: where applied or observed differs from desired, field by field and in all."""
    yield from field_tables.differing(view)
    yield from _drift(view)


def fields(view: StateView) -> Iterator[RenderableType]:
    """`kvdeck ctl get --fields`: desired, applied and observed of every field."""
    yield Text(f"generation {view.generation}")
    yield from field_tables.every(view)


def _drift(view: StateView) -> Iterator[RenderableType]:
    if not view.drift:
        yield Text("applied is as desired", GOOD)
        return
    told = {field.field for field in view.fields if field.reason is not None}
    others = [(d.field, d.reason, clock(d.since)) for d in view.drift if d.field not in told]
    if others:
        yield table("not as desired", ("what", "why", "since"), others)


def change(view: ChangeView) -> Iterator[RenderableType]:
    """`kvdeck ctl set` and `diff`: what changes, what that does, how far it got."""
    if not view.diff:
        yield Text(f"nothing to change: generation {view.generation} is like that already{_untold(view)}")
        return
    yield table("changes", ("field", "before", "after"), map(_change, view.diff))
    yield from (Text(f"- {effect.sentence}") for effect in view.effects)
    if view.dry_run:
        yield Text(f"dry run: nothing was applied, generation {view.generation} stays in force")
    elif view.pending:
        yield Text(f"generation {view.generation} is in force; not yet acknowledged by {', '.join(view.pending)}", DOUBTFUL)
    elif view.unheard:
        yield Text(f"generation {view.generation} is in force; no router reports: nothing goes by it yet", DOUBTFUL)
    else:
        yield Text(f"generation {view.generation} is in force and acknowledged by every live router", GOOD)
    if not view.dry_run:
        yield Text(f"what it comes to: kvdeck ctl report {view.generation}")


def _untold(view: ChangeView) -> str:
    return "; no router reports: nothing goes by it yet" if view.unheard else ""


def audit(view: AuditView) -> Iterator[RenderableType]:
    """`kvdeck ctl history`."""
    yield table("", ("at", "generation", "who", "outcome", "what", "why"), map(_record, view.records))
    if view.records and (last := view.records[-1].sequence or 0) > 1:
        yield Text(f"{last - 1} earlier: --before {last}")


def generation(view: KeptView) -> Iterator[RenderableType]:
    """`kvdeck ctl history N`: one change whole, and what was desired from then on."""
    record = view.record
    if record is None:
        yield Text(f"generation {view.generation}, since {clock(view.at)}; the audit log does not say whose")
    else:
        yield Text(f"generation {view.generation}, since {clock(view.at)}, {record.outcome} by {_who(record)}")
        yield from map(Text, _why(record))
        if record.diff:
            yield table("changes", ("field", "before", "after"), map(_change, record.diff))
        yield from (Text(f"- {effect}") for effect in record.effects)
    yield Text(yaml.safe_dump({"schema": view.schema, "desired": view.desired}, sort_keys=False).rstrip())


def _desired(view: StateView) -> Iterator[Sequence[str]]:
    for name, wanted in view.desired.models.items():
        dpd = f"from {wanted.dpd.routing_threshold} tokens" if wanted.dpd.enabled else "off"
        if wanted.dpd.enabled and (refusal := link(wanted.pools.prefill.protocol, wanted.pools.decode.protocol).refusal):
            dpd += f", but {refusal}"
        yield name, wanted.strategy, wanted.fallback_strategy, dpd, *_pools(wanted), wanted.limits.words


def _pools(wanted: ModelState) -> Iterator[str]:
    for pool in (wanted.pools.prefill, wanted.pools.decode):
        yield f"{pool.replicas}" if pool.strategy is None else f"{pool.replicas}, {pool.strategy}"


def _engine(engine: EngineView) -> Sequence[str]:
    name = f"{engine.name} (emulated)" if engine.emulated else engine.name
    looked = "?" if engine.health_age_seconds is None else f"{engine.health_age_seconds:.1f} s ago"
    in_flight, url = known(engine.in_flight), engine.url or "-"
    return name, engine.pool, engine.state, engine.health, looked, in_flight, url, engine.remarks(clock)


def _pool(pool: PoolView) -> Sequence[str]:
    return pool.model, pool.pool, pool.workload, str(pool.replicas), pool.hold or "-"


def _router(router: RouterView) -> Sequence[str]:
    return router.id, str(router.generation), f"{router.age_seconds:.1f} s ago{'' if router.live else ', not waited for'}"


def _change(change: Change) -> Sequence[str]:
    return change.field, written(change.before), written(change.after)


def _record(record: AuditRecord) -> Sequence[str]:
    fields = [f"{c.field}: {written(c.before)} -> {written(c.after)}" for c in record.diff]
    what = "\n".join(fields or record.effects or filter(None, [record.field]))
    return clock(record.at), str(record.generation), _who(record), record.outcome, what, "\n".join(_why(record))


def _who(record: AuditRecord) -> str:
    return f"{record.actor} from {record.remote}" if record.remote else record.actor


def _why(record: AuditRecord) -> Iterator[str]:
    if record.rolled_back_to is not None:
        yield f"back to generation {record.rolled_back_to}"
    yield from filter(None, [record.comment, record.error])
