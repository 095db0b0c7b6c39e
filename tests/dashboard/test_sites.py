"""The labels that tell fleets apart."""

from __future__ import annotations

from dataclasses import fields

import pandas as pd

from dashboard import sites
from dashboard.promapi import Sample
from dashboard.sites import NOWHERE, Site
from stack.metrics.promql import KEPT

A, B = (Sample({"namespace": name, "replica": "decode-0"}, 1.0, 0.0) for name in ("a", "b"))


def test_a_site_is_what_every_aggregate_keeps() -> None:
    assert [field.name for field in fields(Site)] == [label.value for label in KEPT]
    assert Site.of({"cluster": "c", "namespace": "n", "tier": "l1"}) == Site("c", "n")
    assert Site.of({"tier": "l1"}) == NOWHERE


def test_a_site_is_told_only_where_there_is_a_name_for_it() -> None:
    assert [str(Site(*told)) for told in (("c", "n"), ("", "n"), ("c", ""), ("", ""))] == ["c / n", "n", "c", ""]
    assert (Site("", "n").named("decode-0"), NOWHERE.named("decode-0"), Site("c").named("")) == ("n / decode-0", "decode-0", "c")


def test_names_have_their_site_where_there_are_several() -> None:
    assert [sites.names([A], [B])(one) for one in (A, B)] == ["a / decode-0", "b / decode-0"]
    assert sites.names([A], [])(A) == "decode-0"


def test_a_sentence_begins_with_its_site_where_there_are_several() -> None:
    several = [Site("c", "a"), Site("c", "b")]
    assert (sites.beginning(several[0], several[:1]), sites.beginning(several[0], several)) == ("", "`c / a`: ")


def test_a_series_without_a_label_is_apart_from_one_with_it() -> None:
    frame = pd.DataFrame({"cluster": ["c", "c"], "namespace": ["a", None], "value": [1.0, 2.0]})
    assert sites.apart(frame) == ("namespace",)
