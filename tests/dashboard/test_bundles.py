"""Several queries asked as one question."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest

from dashboard import bundles
from dashboard.asking import Answers, Now
from dashboard.desk import Failed
from dashboard.promapi import PrometheusUnavailableError, Sample
from stack.metrics.queries import Query

ONE, TWO = Query("a", "seconds", (), "One."), Query("b", "seconds", (), "Two.")
BUNDLES = {"both": {"one": ONE, "two": TWO}, "alone": {"three": ONE}}
AT = datetime.fromtimestamp(0, UTC)


def test_a_bundle_is_one_question() -> None:
    asked = bundles.questions(BUNDLES, Now)
    assert list(asked) == ["both", "alone"]
    assert asked["alone"] == Now(Query('label_replace(a, "figure", "three", "", "")', "", asked["alone"].query.by, "One."))


def test_courses_move_on_one_bundle_after_the_other_and_each_query_knows_when() -> None:
    asked = bundles.courses(BUNDLES)
    assert {name: course.phase for name, course in asked.items()} == {"both": 0.0, "alone": 0.5}
    empty = pd.DataFrame([], columns=["time", "value"])
    phases = {name: course.phase for name, course in asked.items()}
    assert bundles.apart(Answers(AT, dict.fromkeys(BUNDLES, empty), phases), BUNDLES).phases == {
        "one": 0.0,
        "two": 0.0,
        "three": 0.5,
    }


def test_each_query_gets_its_own_answer_and_what_failed_failed_for_all() -> None:
    two = Sample({"figure": "two"}, 2.0, 0.0)
    answers = bundles.apart(Answers(AT, {"both": [two], "alone": Failed("slow")}), BUNDLES)
    assert (answers.samples("one"), answers.samples("two")) == ([], [two])
    with pytest.raises(PrometheusUnavailableError, match="slow"):
        answers.samples("three")


def test_rows_are_told_apart_without_the_labels_of_others() -> None:
    both = pd.DataFrame({"figure": ["one", "two"], "path": ["dpd", None], "time": [1, 2], "value": [1.0, None]})
    empty = pd.DataFrame([], columns=["time", "value"])
    answers = bundles.apart(Answers(AT, {"both": both, "alone": empty}), BUNDLES)
    assert answers.frame("one").to_dict("records") == [{"path": "dpd", "time": 1, "value": 1.0}]
    assert answers.frame("two").columns.tolist() == ["time", "value"]
    assert answers.frame("three").empty
