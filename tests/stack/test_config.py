"""Ports and paths of the one-machine stack."""

from pathlib import Path

from stack.config import Layout, Ports


def test_packed_ports_follow_the_documented_order() -> None:
    assert Ports.packed(21000) == Ports(21000, 21001, 21002, 21003, 21004, 21005, 21006, 21007, 21008, 21009)


def test_sockets_stay_short_however_deep_the_checkout_is() -> None:
    layout = Layout.of(Path("/" + "/".join(["deep"] * 60)), Path("/tmp"))
    assert len(str(layout.runtime / "decode-63.replay")) < 107


def test_two_checkouts_have_two_runtime_folders() -> None:
    assert Layout.of(Path("/a"), Path("/tmp")).runtime != Layout.of(Path("/b"), Path("/tmp")).runtime
