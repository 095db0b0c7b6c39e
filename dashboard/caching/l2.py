"""L2: the stores by their own word beside what LMCache believes, and where the two do not agree."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard import amounts, panels, sites
from dashboard.asking import Answers, Now, Over, Question
from dashboard.caching import beliefs, stores, truth
from dashboard.caching.truth import Sides
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from dashboard.wording import code
from stack.metrics import store_queries, truth_queries
from stack.metrics.family import Label

NOW = "5m"


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks. No model has a store of its own: the model picker narrows nothing here."""
    where, window = scope.fleet, scope.window
    return {
        "stores": Now(truth_queries.stores(where, NOW)),
        "policies": Now(store_queries.policies(where)),
        "held": Now(truth_queries.held_of_believed(where)),
        "believers": Now(truth_queries.believers(where)),
        "addresses": Now(truth_queries.addresses(where)),
        "strayed": Now(truth_queries.strayed(where)),
        "not found now": Now(store_queries.not_found(where, NOW)),
        "daemons": Now(truth_queries.daemons(where)),
        "bytes": Over(truth_queries.bytes_of_both(where)),
        "dropped": Over(truth_queries.dropped(where, window)),
        "not found": Over(store_queries.not_found(where, window)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    where, window, span = scope.fleet, scope.window, scope.span
    _verdict(answers)
    left, right = st.columns(2)
    with left:
        stores.draw(answers, NOW, scope)
    with right:
        beliefs.draw(answers, scope)
    panels.series("Bytes: believed, and there", truth_queries.bytes_of_both(where), answers, "bytes", span, changes)
    left, right = st.columns(2)
    with left:
        panels.series("Keys that the stores dropped", truth_queries.dropped(where, window), answers, "dropped", span, changes)
    with right:
        query = store_queries.not_found(where, window)
        nothing = "LMCache has missed nothing in L2 that it believed to be there, or it does not tell: it does once it happened."
        panels.series("Chunks that were gone when LMCache loaded them", query, answers, "not found", span, changes, nothing=nothing)


def _verdict(answers: Answers) -> None:
    try:
        fleets = sides(answers)
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    found = truth.everywhere(fleets)
    agreeing = {at: each for at, each in fleets.items() if truth.comparable(each)}
    if found:
        show = st.error if found[0].certain else st.warning
        show("\n\n".join(finding.text for finding in found), icon=":material/compare_arrows:")
    elif agreeing and len(agreeing) == len(fleets):
        held = ", ".join(f"{sites.beginning(at, fleets)}{amounts.percent(each.held)}" for at, each in agreeing.items())
        st.success(f"The stores hold what LMCache believes ({held}).", icon=":material/check_circle:")
    else:
        where = ", ".join(code(str(at)) for at in fleets if at not in agreeing) if agreeing else ""
        st.info(f"{_UNKNOWN}{f' That is so of {where}.' if where else ''}")


_UNKNOWN = "Whether L2 holds what LMCache believes is unknown: it takes both a store that is read and an LMCache that tells."


def sides(answers: Answers) -> dict[Site, Sides]:
    """Both sides of each fleet that tells anything of L2. Raises PrometheusUnavailableError where a question failed."""
    asked = {name: answers.samples(name) for name in ("stores", "held", "not found now", "policies", "strayed")}
    return {
        at: _sides({name: [one for one in samples if Site.of(one.labels) == at] for name, samples in asked.items()})
        for at in sorted(sites.seen(*asked.values()))
    }


def _sides(told: Mapping[str, list[Sample]]) -> Sides:
    """Of one fleet."""
    return Sides(
        held=next((sample.value for sample in told["held"]), None),
        evicted=_sum(_of(told["stores"], "evicted")),
        not_found=_sum(told["not found now"]),
        policies={sites.name(sample): sample.labels.get(Label.POLICY, amounts.UNKNOWN) for sample in told["policies"]},
        full={sites.name(sample): sample.value for sample in _of(told["stores"], "full")},
        strayed={sites.name(sample): sample.labels.get(Label.STATE, amounts.UNKNOWN) for sample in told["strayed"]},
    )


def _sum(samples: list[Sample]) -> float | None:
    return sum(sample.value for sample in samples) if samples else None


def _of(samples: list[Sample], quantity: str) -> list[Sample]:
    return [sample for sample in samples if sample.labels.get(Label.QUANTITY) == quantity]
