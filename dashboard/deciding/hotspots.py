"""Who has more than its share: each pool's busiest engines beside the pool's mean and its least used one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from dashboard import amounts, notices, panels
from dashboard.alarms import mention
from dashboard.alarms.known import known, within
from dashboard.asking import Answers, Now, Question
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from dashboard.wording import plain
from stack.metrics import balance_queries
from stack.metrics.balance_queries import HELD, HOT_WAITING, IDLE_REQUESTS, LEAST, MEAN, WAITING
from stack.metrics.family import Label

_ALERT = "KvdeckHotspot"
_HOT = "queues beside an idle one"
_NUMBER = st.column_config.NumberColumn
_COLUMNS = {
    "requests": _NUMBER(format="%.2f", help="running and waiting, mean of ten minutes"),
    "waiting": _NUMBER(format="%.2f", help="of these, mean of ten minutes"),
    "of the mean": _NUMBER(format="%.1f x", help="its requests, as a multiple of the mean of its pool's engines"),
    "pool's least": _NUMBER(format="%.2f", help="requests of the pool's least used engine, mean of ten minutes"),
    "prompt tokens": _NUMBER("prompt tokens/s", format="%.0f", help="that it was sent, mean of ten minutes"),
    "of the mean rate": _NUMBER(format="%.1f x", help="its prompt tokens/s, as a multiple of the mean of its pool's engines"),
}


@dataclass(frozen=True, slots=True)
class Share:
    """What one engine has, as means of ten minutes; None is not known. `least` is the pool's least used engine's requests."""

    engine: str
    pool: str
    model: str
    site: Site
    requests: float
    waiting: float | None
    mean: float | None
    least: float | None
    tokens: float | None
    mean_tokens: float | None

    @property
    def hot(self) -> bool:
        """Requests queue here, and another engine of the pool has nothing to do: as the alert has it."""
        return self.waiting is not None and self.waiting > HOT_WAITING and self.least is not None and self.least < IDLE_REQUESTS


_Key = tuple[Site, str, str]
"""A pool: where it is, its model, its name."""


@dataclass(slots=True)
class _Pool:
    """One pool's samples by state, and by engine where they are an engine's."""

    engines: dict[tuple[str, str], float] = field(default_factory=dict)
    whole: dict[str, float] = field(default_factory=dict)


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked for `draw`."""
    return {
        "pressure": Now(balance_queries.pressure(scope.model)),
        "work": Now(balance_queries.work(scope.model)),
    }


def draw(answers: Answers, scope: Scope) -> None:
    """The busiest engines as a table, above it whether one is a hotspot."""
    panels.heading("Who has more than its share", balance_queries.pressure(scope.model), answers)
    try:
        found = shares(answers.samples("pressure"), _work(answers))
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if not found:
        st.info("No engine's load is known: the exporter tells it, of engines that it reads.")
        return
    _verdict(found, _alert(scope))
    st.dataframe(
        table(found),
        hide_index=True,
        placeholder=amounts.UNKNOWN,
        key="hotspots",
        column_config=_COLUMNS,
        alt="Busiest engines of each pool",
    )


def shares(pressure: Iterable[Sample], work: Iterable[Sample]) -> list[Share]:
    """The engines that `pressure` tells of, hotspots first, then by how far they are above their pool's mean."""
    held, sent = _pools(pressure), _pools(work)
    found = [
        _share(key, engine, requests, pool, sent.get(key, _Pool()))
        for key, pool in held.items()
        for (state, engine), requests in pool.engines.items()
        if state == HELD
    ]
    return sorted(found, key=lambda one: (not one.hot, -(ratio(one.requests, one.mean) or 0), one.engine))


def _share(key: _Key, engine: str, requests: float, pool: _Pool, sent: _Pool) -> Share:
    site, model, name = key
    return Share(
        engine=engine,
        pool=name,
        model=model,
        site=site,
        requests=requests,
        waiting=pool.engines.get((WAITING, engine)),
        mean=pool.whole.get(MEAN),
        least=pool.whole.get(LEAST),
        tokens=sent.engines.get((HELD, engine)),
        mean_tokens=sent.whole.get(MEAN),
    )


def _pools(samples: Iterable[Sample]) -> Mapping[_Key, _Pool]:
    pools: dict[_Key, _Pool] = {}
    for sample in samples:
        labels = sample.labels
        key = Site.of(labels), labels.get(Label.MODEL_NAME, ""), labels.get(Label.POOL, "")
        pool = pools.setdefault(key, _Pool())
        engine, state = labels.get(Label.REPLICA), labels.get(Label.STATE, "")
        if engine is None:
            pool.whole[state] = sample.value
        else:
            pool.engines[state, engine] = sample.value
    return pools


def ratio(value: float | None, mean: float | None) -> float | None:
    """How many times the mean; None where either is not known, or nobody has anything."""
    return value / mean if value is not None and mean else None


def table(found: Sequence[Share]) -> pd.DataFrame:
    """A row an engine; of the labels that tell fleets and models apart those that do."""
    places = [{"cluster": one.site.cluster, "namespace": one.site.namespace, "model": one.model} for one in found]
    apart = [name for name in ("cluster", "namespace", "model") if len({place[name] for place in places}) > 1]
    return pd.DataFrame(
        {
            "engine": one.engine,
            "pool": one.pool,
            **{name: place[name] for name in apart},
            "requests": one.requests,
            "waiting": one.waiting,
            "of the mean": ratio(one.requests, one.mean),
            "pool's least": one.least,
            "prompt tokens": one.tokens,
            "of the mean rate": ratio(one.tokens, one.mean_tokens),
            "hotspot": _HOT if one.hot else "",
        }
        for one, place in zip(found, places, strict=True)
    )


def _work(answers: Answers) -> Sequence[Sample]:
    with notices.quiet():
        return answers.samples("work")
    return ()


def _alert(scope: Scope) -> str:
    """Whether the alert fires, and whether people are told."""
    with notices.quiet():
        return mention.of_rule(_ALERT, within(known(scope.until).alerts, scope))
    return f"Whether {_ALERT} fires is unknown."


def _verdict(found: Sequence[Share], alert: str) -> None:
    bound = f"more than {HOT_WAITING:.0f} requests wait at one engine while another of its pool has fewer than {IDLE_REQUESTS:.0f}"
    several = len({one.site for one in found}) > 1
    if hot := [one.site.named(one.engine) if several else one.engine for one in found if one.hot]:
        st.warning(
            f"**Hotspot: {plain(', '.join(hot))}.** For ten minutes {bound}. {alert}", icon=":material/local_fire_department:"
        )
    elif any(one.waiting is None or one.least is None for one in found):
        st.warning(f"Whether there is a hotspot is unknown: not all loads are told. {alert}", icon=notices.AWAY)
    else:
        st.success(f"No hotspot: there is one when {bound}, as means of ten minutes. {alert}", icon=":material/check_circle:")
