"""What the link can carry is by whoever knows it, and unknown with the reason where nobody does."""

from __future__ import annotations

from dashboard.promapi import Sample
from dashboard.transfers.link import Link, link


def told(**quantities: float) -> list[Sample]:
    return [Sample({"quantity": name}, value, 0.0) for name, value in quantities.items()]


def test_the_exporters_on_the_nodes_tell_unless_the_operator_does() -> None:
    samples = told(limit=50e9, nodes=2, ports=8)
    assert link(samples, None) == Link(50e9, "400 Gbit/s is what the slowest node's links carry together, as its exporter tells.")
    assert link(samples, 12.5e9) == Link(12.5e9, "The link's limit is as given above: 100 Gbit/s.")


def test_where_nobody_knows_it_is_unknown_and_the_reason_is_said() -> None:
    assert link([], None).limit is None
    assert link([], None).words.startswith("What the link can carry is not known: no exporter on the nodes tells")
    assert link(told(nodes=3, ports=0), None).words.startswith("None of 3 nodes has an RDMA device: KV goes over TCP")


def test_kv_that_moves_while_the_fabric_stands_still_goes_over_tcp() -> None:
    assert link(told(moved=2e9, fabric=0.0), None).warning == (
        "KV moves at 2,000 MB/s while the RDMA devices carry 0.0 MB/s: it goes over TCP."
    )
    assert link(told(moved=2e9, fabric=1.9e9), None).warning == ""
    assert link(told(moved=2e9), None).warning == ""


def test_several_fleets_are_added_up_and_the_lowest_limit_counts() -> None:
    assert link(told(limit=50e9) + told(limit=25e9), None).limit == 25e9
    assert link(told(moved=6e6) + told(moved=6e6, fabric=0.0), None).warning
