"""Which addresses others may have the exporter read: an allow-list, and what no list can allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Clouds' metadata and wire servers that are not link-local (which nobody may have read at all): AWS, Google, Alibaba, Azure.
_METADATA = frozenset(map(ip_address, ("fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16")))
# IPv4 inside of IPv6: what goes there goes to the IPv4 address (RFC 6052, RFC 3056).
_NAT64, _6TO4 = IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16")


class RefusedError(ValueError):
    """The target is not one that others may have read."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Networks by address and hosts by name; empty allows nothing.

    Link-local, metadata, multicast and unspecified addresses are never allowed, and loopback only by a network inside of it.
    """

    networks: tuple[Network, ...] = ()
    hosts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.networks or self.hosts)

    def choose(self, host: str, addresses: Iterable[str]) -> str:
        """The first of the `addresses` of `host` that may be read. Raises RefusedError."""
        by_name = any(fnmatchcase(host.lower().rstrip("."), pattern) for pattern in self.hosts)
        for address in addresses:
            if self._may(ip_address(address), by_name):
                return address
        raise RefusedError("the target is not in --probe.allow")

    def _may(self, address: Address, by_name: bool) -> bool:
        forms = [address, *_inner(address)]
        if any(_never(form) for form in forms):
            return False
        real = forms[-1]
        listed = [network for network in self.networks if real in network]
        if real.is_loopback:
            return any(network.network_address.is_loopback for network in listed)
        return by_name or bool(listed)


NOTHING = Allowed()


def allowed(entries: Sequence[str]) -> Allowed:
    """Networks such as 10.0.0.0/8, and patterns of host names such as *.llm.svc. Raises ValueError."""
    networks: list[Network] = []
    hosts: list[str] = []
    for entry in entries:
        try:
            networks.append(ip_network(entry))
        except ValueError as error:
            if not entry or "/" in entry or ":" in entry or entry.replace(".", "").isdecimal():
                raise ValueError(f"{entry!r} is neither a network (10.0.0.0/8) nor a host name (*.llm.svc)") from error
            hosts.append(entry.lower().rstrip("."))
    return Allowed(tuple(networks), tuple(hosts))


def _inner(address: Address) -> list[Address]:
    if not isinstance(address, IPv6Address):
        return []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [IPv4Address(address.packed[-4:])]
    if address in _6TO4:
        return [IPv4Address(address.packed[2:6])]
    return []


def _never(address: Address) -> bool:
    return address.is_link_local or address.is_multicast or address.is_unspecified or address in _METADATA
