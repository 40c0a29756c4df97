"""Connections to addresses that strangers name: relays in lists, servers of Web Push.

Invariant: only what the public Internet routes is connected to. A name is resolved at each dial,
and the address that was looked at is dialled. Redirects are the caller's not to follow.
"""

import ipaddress
import socket
import time

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_MAX_ADDRESSES = 4

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotPublic(OSError):
    """No address of this host is public."""


def dial_public(address: tuple[str, int], timeout_seconds: float) -> socket.socket:
    """A socket to a public address of this host and port. Raises OSError, and UnicodeError."""
    deadline = time.monotonic() + timeout_seconds
    found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
    failure: OSError = NotPublic("no public address")
    for family, kind, protocol, _, at in found[:_MAX_ADDRESSES]:
        if not is_public(str(at[0])):
            continue
        sock = socket.socket(family, kind, protocol)
        sock.settimeout(max(deadline - time.monotonic(), 0.01))
        try:
            sock.connect(at)
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def is_public(text: str) -> bool:
    """Whether the Internet routes this IP address: not loopback, private, link-local, shared (RFC
    6598), multicast, reserved, nor such a one in an IPv6 address.
    """
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    inner = _inner(address)
    if inner is not None:
        return is_public(str(inner))
    is_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or is_local)


def _inner(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
