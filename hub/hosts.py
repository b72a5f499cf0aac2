"""Which hosts are this machine: what is sent to them does not leave it."""

from __future__ import annotations

from ipaddress import ip_address


def loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's own."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
