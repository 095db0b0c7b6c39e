"""Overview: is the fleet well, how fast is it, and where did its prompt tokens come from."""

from __future__ import annotations

import streamlit as st

from dashboard import arrival, asking, bundles, notices, panels, sources
from dashboard.asking import Answers, Now
from dashboard.charts import Span
from dashboard.marks import marks
from dashboard.overall import course, firing, shown
from dashboard.overall.looking import Seen, seen
from dashboard.overall.questions import Asked, asked
from dashboard.overall.verdict import verdict
from dashboard.scope import Scope, toolbar
from dashboard.wording import address, code, plain
from stack.api.alert_schema import AlertsView
from stack.api.schema import StateView

_NOTHING = Seen((), (), ())


def page() -> None:
    """Draw the page."""
    scope = toolbar("Overview")
    scope.live(_live, scope)


def _live(scope: Scope) -> None:
    """What is so now is asked for and shown first: whoever looks waits for no chart."""
    span, questions = scope.span, asked(scope.length, scope.window, scope.fleet, scope.model)
    current, courses = bundles.questions(questions.now, Now), bundles.courses(questions.over)
    with notices.quiet():
        asking.ahead(current, span)
        if scope.until is None:
            sources.state()  # Prometheus looks meanwhile
    now = None
    with notices.told():
        now = bundles.apart(asking.ask(current, span), questions.now)
        asking.ahead(courses, span)
    found = _NOTHING if now is None else seen(now, questions)
    _health(now, found, scope)
    if now is None:
        return  # Prometheus is away, as was just said
    for why in found.failed:
        st.warning(f"Some numbers are unknown: {plain(why)}.", icon=notices.AWAY)
    shown.numbers(found, questions, now)
    arrival.shown_first()
    shown.tables(found.tables(questions))
    with notices.told():
        _course(bundles.apart(asking.ask(courses, span), questions.over), questions, found, scope, span)
    panels.footer(now, scope.refresh)
    _links()


def _health(now: Answers | None, found: Seen, scope: Scope) -> None:
    """Alerts are told without control, too."""
    state, view, steered = _control(scope)
    alarms = firing.told(now, view, scope.picked)
    if now is None and state is None:
        return  # nobody answers, which is said twice already
    shown.health(verdict(state, alarms, found.pools, steered=steered), alarms)


def _control(scope: Scope) -> tuple[StateView | None, AlertsView | None, bool]:
    """Its state and the alerts it knows of, None where it does not tell; and whether it should. Of the past it tells neither."""
    state = view = None
    with notices.told():
        if scope.until is not None or sources.settings().control_url is None:
            return None, None, False
        state = sources.state()
    with notices.quiet():
        view = sources.alerts() if state is not None else None
    return state, view, True


def _course(over: Answers, questions: Asked, found: Seen, scope: Scope, span: Span) -> None:
    changes = marks(scope)
    shown.waterfall(course.waterfall(over, questions.queries, span, changes), found)
    shown.plots(list(course.course(over, questions.queries, span, changes)))


def _links() -> None:
    own = sources.settings()
    alertmanager, router = address(own.alertmanager_url), address(own.router_url)  # a URL may hold a password
    st.caption(f"Alerts: [Alertmanager]({alertmanager}). Requests go to {code(f'{router}/v1')}.")
