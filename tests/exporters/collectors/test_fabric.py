"""RDMA devices over a made-up tree, laid out as EFA's driver and Mellanox's do."""

from pathlib import Path

import httpx
import pytest

from exporters.collector import Context, Point, Seen
from exporters.collectors.fabric import MOST_PORTS, Fabric
from exporters.node import Node
from stack.engines.quantities import State
from stack.metrics import catalog
from stack.metrics.family import Label

EFA = {
    "lifespan": 12, "rx_bytes": 1000, "tx_bytes": 2000, "rx_pkts": 1, "tx_pkts": 2, "rx_drops": 3, "rdma_read_bytes": 900,
    "rdma_read_resp_bytes": 0, "rdma_read_wrs": 9, "rdma_read_wr_err": 1, "retrans_bytes": 50,
}  # fmt: skip


def device(root: Path, name: str, kind: str, counters: dict[str, int]) -> None:
    folder = root / name / "ports" / "1" / kind
    folder.mkdir(parents=True)
    for counter, value in counters.items():
        (folder / counter).write_text(f"{value}\n")


async def read(root: Path | None) -> Seen:
    async with httpx.AsyncClient() as client:
        return await Fabric(Context(client, tuple, node=Node(infiniband=root))).read("node")


def of(name: str, **more: str) -> dict[Label, str]:
    return {Label.DEVICE: name, Label.PORT: "1", **{Label(label): value for label, value in more.items()}}


async def test_an_efa_device_tells_its_bytes_rdma_and_retransmits(tmp_path: Path) -> None:
    device(tmp_path, "rdmap0s31", "hw_counters", EFA)
    efa, rdma, seen = "rdmap0s31", catalog.FABRIC_RDMA_BYTES, await read(tmp_path)
    assert seen.points == [
        Point(catalog.FABRIC_PORTS, {}, 1.0),
        Point(catalog.FABRIC_BYTES, of(efa, direction="receive"), 1000.0),
        Point(catalog.FABRIC_BYTES, of(efa, direction="send"), 2000.0),
        Point(rdma, of(efa, operation="read"), 900.0),
        Point(rdma, of(efa, operation="read_by_peer"), 0.0),
        Point(catalog.FABRIC_RDMA_OPERATIONS, of(efa, operation="read"), 9.0),
        Point(catalog.FABRIC_RDMA_ERRORS, of(efa, operation="read"), 1.0),
        Point(catalog.FABRIC_RETRANSMITTED_BYTES, of(efa), 50.0),
        Point(catalog.FABRIC_DROPPED_PACKETS, of(efa), 3.0),
    ]
    assert seen.quantities == {"fabric_counters": State.PRESENT}


async def test_a_link_is_told_beside_what_went_over_it(tmp_path: Path) -> None:
    device(tmp_path, "rdmap0s31", "hw_counters", {"rx_bytes": 5})
    (tmp_path / "rdmap0s31" / "ports" / "1" / "rate").write_text("200 Gb/sec (4X HDR)\n")
    assert Point(catalog.FABRIC_LINK, of("rdmap0s31"), 25e9) in (await read(tmp_path)).points


async def test_devices_of_both_kinds_are_told_side_by_side(tmp_path: Path) -> None:
    device(tmp_path, "rdmap0s31", "hw_counters", {"rx_bytes": 5})
    device(tmp_path, "mlx5_0", "counters", {"port_rcv_data": 5, "port_xmit_data": 6})
    assert {(point.labels[Label.DEVICE], point.value) for point in (await read(tmp_path)).points if point.labels} == {
        ("rdmap0s31", 5.0), ("mlx5_0", 20.0), ("mlx5_0", 24.0),
    }  # fmt: skip


async def test_a_node_without_devices_has_no_ports(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "infiniband"):
        seen = await read(root)
        assert (seen.points, seen.quantities) == ([Point(catalog.FABRIC_PORTS, {}, 0.0)], {"fabric_counters": State.NOT_APPLICABLE})


async def test_a_port_that_lets_nothing_be_read_is_still_a_port(tmp_path: Path) -> None:
    (tmp_path / "rdmap0s31" / "ports" / "1" / "hw_counters" / "rx_bytes").mkdir(parents=True)
    (tmp_path / "without ports").mkdir()
    seen = await read(tmp_path)
    assert (seen.points, seen.quantities) == ([Point(catalog.FABRIC_PORTS, {}, 1.0)], {"fabric_counters": State.ABSENT})


async def test_where_there_is_no_sysfs_the_target_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await read(tmp_path / "class" / "infiniband")


async def test_a_tree_without_end_costs_only_so_much(tmp_path: Path) -> None:
    for number in range(MOST_PORTS + 3):
        device(tmp_path, f"rdma{number}", "hw_counters", {"rx_drops": 1})
    assert len((await read(tmp_path)).points) == 1 + MOST_PORTS
