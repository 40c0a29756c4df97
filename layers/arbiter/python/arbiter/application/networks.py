"""Whom an IP address belongs to, for whoever counts."""

from ipaddress import IPv6Address, ip_address


def network_of(address: str) -> str:
    """The client behind an address, as a key to count by: of IPv6 everybody has 2^64 addresses, so
    the first half counts. ``unknown`` for what is no address.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        # An IPv4 client of an IPv6 door keeps his own address.
        return str(parsed.ipv4_mapped or parsed.exploded[:19])
    return str(parsed)
