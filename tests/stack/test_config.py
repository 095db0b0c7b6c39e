"""Ports and paths of the one-machine stack."""

from pathlib import Path

import pytest

from stack.config import Layout, Ports, address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:8000", "127.0.0.1", 8000), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535)],
)
def test_an_address_is_host_and_port(text: str, host: str, port: int) -> None:
    assert address(text) == (host, port)


@pytest.mark.parametrize("text", ["", "8000", ":8000", "host:", "host:x", "host:65536", "host:-1", "host:²"])
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected HOST:PORT, for example 127\.0\.0\.1:8000"):
        address(text)


def test_packed_ports_follow_the_documented_order() -> None:
    assert Ports.packed(21000) == Ports(21000, 21001, 21002, 21003, 21004, 21005, 21006, 21007, 21008, 21009)


def test_sockets_stay_short_however_deep_the_checkout_is() -> None:
    layout = Layout.of(Path("/" + "/".join(["deep"] * 60)), Path("/tmp"))
    assert len(str(layout.runtime / "decode-63.replay")) < 107


def test_two_checkouts_have_two_runtime_folders() -> None:
    assert Layout.of(Path("/a"), Path("/tmp")).runtime != Layout.of(Path("/b"), Path("/tmp")).runtime
