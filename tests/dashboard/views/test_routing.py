"""The Routing page against the real control."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from stack.control.decision import Candidate, Selection, ShadowChoice
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import Steered
from tests.decisions import decision, disaggregated


def rows(page: AppTest) -> list[tuple[str, str, str]]:
    frame = page.dataframe[0].value[["path", "prefill engine", "engine"]].fillna("")
    return [(row["path"], row["prefill engine"], row["engine"]) for row in frame.to_dict("records")]


def test_recent_decisions_are_drawn_and_listed_newest_first(opened: Opener, steered: Steered) -> None:
    steered.report(decision(at=1.0), disaggregated(at=2.0, ttft_seconds=0.25, tokens_exact=False))
    page = opened("routing")
    assert len(page.get("plotly_chart")) == 1
    assert rows(page) == [("dpd", "prefill-0", "decode-0"), ("direct", "", "decode-0")]
    newest = page.dataframe[0].value.iloc[0]
    assert (newest["TTFT"], newest["prompt tokens"], newest["path because"]) == (250.0, "~1533", "at_threshold")
    assert page.success[0].value == "None of these 2 requests needed a fallback."
    assert not page.exception


def test_what_nobody_reported_stays_empty(opened: Opener, steered: Steered) -> None:
    steered.report(decision())
    row = opened("routing").dataframe[0].value.iloc[0]
    assert row[["cached tokens", "expected", "TTFT", "total", "error"]].isna().all()


def test_fallbacks_are_told_with_their_reasons(opened: Opener, steered: Steered) -> None:
    steered.report(decision(fallbacks=("no_ready_prefill_engine",)), decision(fallbacks=("no_ready_prefill_engine",)), decision())
    page = opened("routing")
    assert page.warning[0].value == "Not served the way the configuration asks for: 2 x `no_ready_prefill_engine`."
    page.toggle[0].set_value(True)
    assert len(page.run().dataframe[0].value) == 2


def test_decisions_can_be_narrowed_to_a_path_and_an_engine(opened: Opener, steered: Steered) -> None:
    steered.report(decision(engine="decode-1"), decision(), disaggregated())
    page = opened("routing")
    page.text_input[0].set_value("decode-1")
    assert rows(page.run()) == [("direct", "", "decode-1")]
    page.text_input[0].set_value("decode-9")
    assert page.run().info[0].value == "No recent request went this way."


def test_no_request_yet_says_how_to_send_one(opened: Opener, steered: Steered) -> None:
    assert "kvdeck start traffic" in opened("routing").info[0].value


def test_lost_records_are_told(opened: Opener, steered: Steered) -> None:
    steered.report(decision(), dropped=3)
    assert opened("routing").warning[0].value == "3 records were dropped on the way: the picture is incomplete."


def test_control_being_away_is_said_and_is_no_stack_trace(opened: Opener) -> None:
    page = opened("routing")
    assert page.error[0].value.startswith("Control does not answer")
    assert not page.exception


CHOSEN = Selection(
    strategy="kv_aware",
    engine="decode-1",
    reason="most_cached",
    expected_cached_tokens=176,
    ranked_by="ttft_s",
    candidates=(
        Candidate(engine="decode-1", in_flight=2, cached_tokens=176, scores={"ttft_s": 0.25, "queue_s": 0.125}),
        Candidate(engine="decode-0", cached_tokens=16, doubts=("l2: evictions",)),
    ),
    omitted=3,
)
EXPLAINED = decision(
    request_id="r-7",
    compared="181 < 512",
    decode=CHOSEN,
    engine="decode-1",
    cached_tokens=160,
    shadows=(ShadowChoice(strategy="session", engine="decode-0", reason="session_home", agrees=False, gained_tokens=-160),),
)


def test_a_decision_is_explained_by_its_requests_id(opened: Opener, steered: Steered) -> None:
    steered.report(EXPLAINED)
    page = opened("routing")
    page.text_input[1].set_value("r-7")
    page.run()
    said = " ".join(part.value for part in page.markdown)
    assert "the prompt is shorter than the threshold (181 < 512)" in said
    assert "**Decode candidates**, best first by `ttft_s`, and 3 others" in said
    shown = page.dataframe
    assert shown[0].value[["strategy", "decided along", "agreed"]].values.tolist() == [["session", 1, 0.0]]
    assert shown[2].value[["engine", "cached tokens"]].values.tolist() == [["decode-1", 176], ["decode-0", 16]]
    assert shown[2].value["not known"].tolist()[1] == "l2: evictions"
    assert shown[3].value.values.tolist()[0] == ["cached tokens, decode", "176", "160"]
    assert shown[4].value[["strategy", "engine", "more cached tokens"]].values.tolist() == [["session", "decode-0", -160]]
    assert not page.exception


def test_a_decision_that_is_gone_is_said_to_be(opened: Opener, steered: Steered) -> None:
    steered.report(decision())
    page = opened("routing")
    page.text_input[1].set_value("r-8")
    assert page.run().info[0].value.startswith("no decision 'r-8' is kept: the last 1 are, back to")
