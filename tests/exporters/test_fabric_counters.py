"""The kernel's counters of RDMA devices become points; what a device does not count is absent."""

from exporters.collector import Point
from exporters.fabric_counters import HARDWARE, link, points
from stack.metrics import catalog
from stack.metrics.family import Label

PORT = {Label.DEVICE: "rdmap0s31", Label.PORT: "1"}


def test_every_counter_of_efa_has_a_series_of_its_own() -> None:
    found = list(points("rdmap0s31", "1", {counter.file: f"{n}\n" for n, counter in enumerate(HARDWARE)}, {"port_rcv_data": "9\n"}))
    assert [point.value for point in found] == [float(n) for n in range(len(HARDWARE))]
    assert len({(point.family.name, *point.labels.values()) for point in found}) == len(HARDWARE)
    assert all(set(point.labels) == set(point.family.labels) for point in found)
    assert Point(catalog.FABRIC_RDMA_BYTES, PORT | {Label.OPERATION: "read"}, 2.0) in found


def test_a_device_that_counts_no_bytes_of_its_own_has_the_standard_ones_in_words() -> None:
    assert list(points("rdmap0s31", "1", {"duplicate_request": "7\n"}, {"port_rcv_data": "10\n", "port_xmit_data": "11\n"})) == [
        Point(catalog.FABRIC_BYTES, PORT | {Label.DIRECTION: "receive"}, 40.0),
        Point(catalog.FABRIC_BYTES, PORT | {Label.DIRECTION: "send"}, 44.0),
    ]


def test_what_is_no_number_is_absent() -> None:
    assert (
        list(points("rdmap0s31", "1", {"rx_bytes": "N/A (no PMA)\n", "tx_bytes": "-1\n", "rx_drops": "", "retrans_pkts": "²"}, {}))
        == []
    )


def test_a_counter_of_64_bits_is_told() -> None:
    [point] = points("rdmap0s31", "1", {"rx_bytes": f"{2**64 - 1}\n"}, {})
    assert point.value == float(2**64 - 1)


def test_a_link_says_what_it_carries_while_its_port_is_up() -> None:
    told = Point(catalog.FABRIC_LINK, PORT, 12.5e9)
    assert list(link("rdmap0s31", "1", {"rate": "100 Gb/sec (4X EDR)\n", "state": "4: ACTIVE\n"})) == [told]
    assert list(link("rdmap0s31", "1", {"rate": "100 Gb/sec (4X EDR)\n"})) == [told]
    assert [point.value for point in link("mlx5_0", "1", {"rate": "2.5 Gb/sec (1X SDR)\n"})] == [312.5e6]


def test_a_link_that_is_down_or_says_nothing_is_absent() -> None:
    for words in ({"rate": "100 Gb/sec (4X EDR)\n", "state": "1: DOWN\n"}, {"rate": "Unknown\n"}, {"rate": ""}, {}):
        assert list(link("rdmap0s31", "1", words)) == []
