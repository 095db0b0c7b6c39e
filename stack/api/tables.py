"""The API's answers as tables and lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
import yaml
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from stack.api.schema import AuditView, ChangeView, DecisionsView, EngineView, KeptView, RouterView, StateView
from stack.control.audit import AuditRecord
from stack.control.decision import DecisionRecord
from stack.control.diff import Change
from stack.control.replay import Replayed
from stack.control.state import ModelState
from stack.engines.pd.base import link

_GOOD, _BAD, _DOUBTFUL, _PLAIN = "green", "red", "yellow", ""
_STYLES = {
    "ready": _GOOD,
    "applied": _GOOD,
    "down": _BAD,
    "refused": _BAD,
    "failed": _BAD,
    "joining": _DOUBTFUL,
    "draining": _DOUBTFUL,
    "drained": _DOUBTFUL,
}


def state(view: StateView) -> Iterator[RenderableType]:
    """`kvdeck ctl get`."""
    yield Text(f"generation {view.generation}")
    yield _table("desired", ("model", "strategy", "fallback", "dpd", "prefill", "decode", "limits"), _desired(view))
    yield _table("engines", ("engine", "pool", "state", "health", "looked at", "in flight", "url", ""), map(_engine, view.engines))
    yield _table("routers", ("router", "generation", "last heard of"), map(_router, view.applied.routers))
    yield from drift(view)


def drift(view: StateView) -> Iterator[RenderableType]:
    """Where applied differs from desired."""
    if not view.drift:
        yield Text("applied is as desired", _GOOD)
        return
    yield _table("not as desired", ("field", "why", "since"), [(d.field, d.reason, _clock(d.since)) for d in view.drift])


def change(view: ChangeView) -> Iterator[RenderableType]:
    """`kvdeck ctl set` and `diff`: what changes, what that does, how far it got."""
    if not view.diff:
        yield Text(f"nothing to change: generation {view.generation} is like that already")
        return
    yield _table("changes", ("field", "before", "after"), map(_change, view.diff))
    yield from (Text(f"- {effect.sentence}") for effect in view.effects)
    if view.dry_run:
        yield Text(f"dry run: nothing was applied, generation {view.generation} stays in force")
    elif view.pending:
        yield Text(f"generation {view.generation} is in force; not yet acknowledged by {', '.join(view.pending)}", _DOUBTFUL)
    else:
        yield Text(f"generation {view.generation} is in force and acknowledged by every live router", _GOOD)


def audit(view: AuditView) -> Iterator[RenderableType]:
    """`kvdeck ctl history`."""
    yield _table("", ("at", "generation", "who", "outcome", "what", "why"), map(_record, view.records))


def generation(view: KeptView) -> Iterator[RenderableType]:
    """`kvdeck ctl history N`: one change whole, and what was desired from then on."""
    record = view.record
    if record is None:
        yield Text(f"generation {view.generation}, since {_clock(view.at)}; the audit log does not say whose")
    else:
        yield Text(f"generation {view.generation}, since {_clock(view.at)}, {record.outcome} by {_who(record)}")
        yield from map(Text, _why(record))
        if record.diff:
            yield _table("changes", ("field", "before", "after"), map(_change, record.diff))
        yield from (Text(f"- {effect}") for effect in record.effects)
    yield Text(yaml.safe_dump({"desired": view.desired}, sort_keys=False).rstrip())


def decisions(view: DecisionsView) -> Iterator[RenderableType]:
    """`kvdeck ctl decisions`."""
    columns = ("at", "generation", "strategy", "path", "engine", "prompt", "cached", "ttft s", "status", "reason")
    yield _table("", columns, map(_decision, view.decisions))
    if view.dropped:
        yield Text(f"{view.dropped} decisions never arrived here", _DOUBTFUL)
    if view.files is not None and (view.files.lost or view.files.error):
        yield Text(f"{view.files.lost} decisions are not in {view.files.folder}: {view.files.error or 'mended since'}", _BAD)


def decision_line(record: DecisionRecord) -> Text:
    """One line of `kvdeck ctl decisions --follow`."""
    return Text("  ".join(_decision(record)), _STYLES.get("failed" if record.status >= 500 else "", _PLAIN))


def replayed(rows: Sequence[Replayed], by: str) -> RenderableType:
    """`kvdeck ctl replay`."""
    if not rows:
        return Text(f"no decision among several engines can be made again by {by}", _DOUBTFUL)
    columns = ("strategy", "decisions", "the same again", "more cached tokens", "sooner s")
    return _table(
        f"decided again by {by}; the last two are averages over those that come out otherwise", columns, map(_again, rows)
    )


def _again(row: Replayed) -> Sequence[str]:
    tokens = "?" if row.more_tokens is None else f"{row.more_tokens:,.0f}"
    seconds = "?" if row.sooner_seconds is None else f"{row.sooner_seconds:.3f}"
    return row.strategy, str(row.decisions), f"{row.again} ({100 * row.again / row.decisions:.0f} %)", tokens, seconds


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
    in_flight, url = _known(engine.in_flight), engine.url or "-"
    return name, engine.pool, engine.state, engine.health, looked, in_flight, url, engine.remarks(_clock)


def _router(router: RouterView) -> Sequence[str]:
    return router.id, str(router.generation), f"{router.age_seconds:.1f} s ago{'' if router.live else ', not waited for'}"


def _change(change: Change) -> Sequence[str]:
    return change.field, _json(change.before), _json(change.after)


def _record(record: AuditRecord) -> Sequence[str]:
    fields = [f"{c.field}: {_json(c.before)} -> {_json(c.after)}" for c in record.diff]
    what = "\n".join(fields or record.effects or filter(None, [record.field]))
    return _clock(record.at), str(record.generation), _who(record), record.outcome, what, "\n".join(_why(record))


def _who(record: AuditRecord) -> str:
    return f"{record.actor} from {record.remote}" if record.remote else record.actor


def _why(record: AuditRecord) -> Iterator[str]:
    if record.rolled_back_to is not None:
        yield f"back to generation {record.rolled_back_to}"
    yield from filter(None, [record.comment, record.error])


def _decision(record: DecisionRecord) -> Sequence[str]:
    engine = f"{record.prefill_engine} > {record.engine}" if record.prefill_engine else record.engine
    prompt = f"{record.prompt_tokens}" if record.tokens_exact else f"~{record.prompt_tokens}"
    ttft = "?" if record.ttft_seconds is None else f"{record.ttft_seconds:.3f}"
    reason = f"{record.decode.reason} (fallback: {', '.join(record.fallbacks)})" if record.fallbacks else record.decode.reason
    cached, status = _known(record.cached_tokens), str(record.status)
    return (
        _clock(record.at),
        str(record.generation),
        record.decode.strategy,
        f"{record.path}, observed" if record.observed else record.path,
        engine,
        prompt,
        cached,
        ttft,
        status,
        reason,
    )


def _known(value: int | None) -> str:
    """Unknown is said, never drawn as 0."""
    return "?" if value is None else str(value)


def _json(value: str | float | bool | None) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title=title or None, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, _STYLES.get(cell, _PLAIN)) for cell in row))  # Text: what others wrote is no markup
    return table
