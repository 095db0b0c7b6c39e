"""The live flow: where requests go now, what was not as configured, and who has more than its share."""

from __future__ import annotations

import streamlit as st

from dashboard import amounts, asking, notices, panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.deciding import fallbacks, flow, hotspots, recent
from dashboard.deciding.filters import Filters
from dashboard.deciding.flow import Way
from dashboard.marks import marks
from dashboard.panels import PLAIN
from dashboard.scope import Scope
from stack.api.schema import DecisionsView
from stack.metrics import quality_queries, routing_queries

_READ = (
    "From left to right; each width is a number of requests. Of a large pool the busiest engines are named. "
    "Yellow: not served as configured. Grey: carried out by another gateway. Where it has no room it scrolls sideways."
)


def draw(scope: Scope, narrowed: Filters) -> None:
    """From decisions where control tells them, else from the routers' counters."""
    found = recent.found(scope, narrowed) if scope.until is None else None  # control remembers the newest alone
    questions: dict[str, Question] = {
        **hotspots.questions(scope),
        fallbacks.NOW: Now(fallbacks.query(scope.model)),
        "dropped": Now(quality_queries.records_dropped(scope.fleet, scope.whole)),
        "observed": Over(quality_queries.observed(scope.model, scope.window)),
    }
    if found is None:  # the routers' counters tell it without control, though less of it
        questions["flow"] = Now(routing_queries.flow(scope.model, scope.whole))
    answers = None
    with notices.told():
        answers = asking.ask(questions, scope.span)
    if found is not None:
        _recent(found, scope, narrowed)
    elif answers is not None:
        _counted(answers, scope)
    if answers is None:
        return
    if found is None:  # else control has told of those that did not arrive
        with notices.told():
            _dropped(answers)
    with notices.told():
        fallbacks.now(answers, scope.model)
    with notices.told():
        _mirrored(answers, scope)
    hotspots.draw(answers, scope)
    panels.footer(answers, scope.refresh)


def _recent(view: DecisionsView, scope: Scope, narrowed: Filters) -> None:
    if not view.decisions:
        recent.nothing(view, narrowed)
        return
    _picture(flow.ways(view.decisions), "Strategy, path, engines")
    recent.reach(view, scope, narrowed)
    fallbacks.among(view.decisions)


def _counted(answers: Answers, scope: Scope) -> None:
    with notices.told():
        ways = flow.counted(answers.samples("flow"))
        if ways:
            _picture(ways, "Strategy, path, decode engine")
            st.caption(f"Counted by the routers over {scope.whole}; which prefill engines they were, only decisions tell.")
        else:
            st.info("No request was routed in this range, as far as Prometheus knows.")


def _picture(ways: list[Way], title: str) -> None:
    st.markdown(f"**{title}: {sum(way.requests for way in ways):,.0f} requests**", help=_READ)
    figure = flow.picture(ways, reader.ink())
    with st.container(key="flow-wide"):  # where there is less room than its words need it scrolls
        st.html(
            f"<style>.st-key-flow-wide {{overflow-x: auto}} .st-key-flow-wide > * {{min-width: {figure.layout.width}px}}</style>"
        )
        st.plotly_chart(figure, key="flow", config=PLAIN, alt=f"Ways of requests. {flow.told(ways)}")
    with st.expander("The same as a table", key="flow rows"):
        st.dataframe(
            flow.table(ways), hide_index=True, placeholder=amounts.UNKNOWN, key="flow table", alt="Ways of requests",
            column_config={"requests": st.column_config.NumberColumn(format="%.0f", help="that went this way")},
        )  # fmt: skip


def _dropped(answers: Answers) -> None:
    lost = sum(sample.value for sample in answers.samples("dropped"))
    if lost >= 1:
        st.warning(f"Routers dropped {lost:,.0f} decision records in this range: what is told from records is incomplete.")


def _mirrored(answers: Answers, scope: Scope) -> None:
    frame = answers.frame("observed")
    if not frame.empty:
        query = quality_queries.observed(scope.model, scope.window)
        st.info("Another gateway carries requests out; what is marked observed is only what would have been done here.",
                icon=":material/visibility:")  # fmt: skip
        panels.series("Mirrored requests", query, answers, "observed", scope.span, marks(scope))
