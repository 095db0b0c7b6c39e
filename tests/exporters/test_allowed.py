"""What others may have the exporter read."""

import pytest

from exporters.allowed import Allowed, RefusedError, allowed

EVERYTHING = allowed(["0.0.0.0/0", "::/0", "*"])


def may(list_: Allowed, address: str, host: str = "somewhere") -> bool:
    try:
        return list_.choose(host, [address]) == address
    except RefusedError:
        return False


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200",
        "168.63.129.16", "224.0.0.1", "0.0.0.0", "::", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
        "127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
    ],
)  # fmt: skip
def test_no_list_however_wide_allows_this(address: str) -> None:
    assert not may(EVERYTHING, address)


def test_loopback_is_allowed_by_a_network_inside_of_it() -> None:
    assert may(allowed(["127.0.0.0/8"]), "127.0.0.1")
    assert may(allowed(["::1/128"]), "::1")
    assert may(allowed(["127.0.0.1"]), "::ffff:127.0.0.1")
    assert not may(allowed(["localhost"]), "127.0.0.1", "localhost")


def test_a_network_allows_its_addresses_and_no_others() -> None:
    inside = allowed(["10.0.0.0/8", "fd12::/16"])
    told = {address: may(inside, address) for address in ("10.1.2.3", "fd12::1", "11.0.0.1", "::ffff:10.0.0.1", "::ffff:11.0.0.1")}
    assert told == {"10.1.2.3": True, "fd12::1": True, "11.0.0.1": False, "::ffff:10.0.0.1": True, "::ffff:11.0.0.1": False}


def test_a_name_is_allowed_however_it_is_written() -> None:
    by_name = allowed(["*.llm.svc", "gateway"])
    names = ("a.llm.svc", "A.LLM.svc.", "llm.svc", "a.llm.svc.evil.com", "gateway", "gateway2")
    assert {name: may(by_name, "10.0.0.1", name) for name in names} == {
        "a.llm.svc": True, "A.LLM.svc.": True, "llm.svc": False, "a.llm.svc.evil.com": False, "gateway": True, "gateway2": False,
    }  # fmt: skip


def test_of_several_addresses_the_first_that_may_be_read_is_taken() -> None:
    assert allowed(["10.0.0.0/8"]).choose("x", ["169.254.169.254", "1.1.1.1", "10.0.0.2", "10.0.0.3"]) == "10.0.0.2"
    with pytest.raises(RefusedError):
        allowed(["10.0.0.0/8"]).choose("x", [])


def test_an_empty_list_allows_nothing_and_is_false() -> None:
    assert not allowed([])
    assert not may(allowed([]), "10.0.0.1")


@pytest.mark.parametrize("entry", ["", "10.0.0.0/33", "10.0.0.1/8", "1.2.3", "http://x", "x:80"])
def test_an_entry_that_is_neither_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match="is neither a network"):
        allowed([entry])
