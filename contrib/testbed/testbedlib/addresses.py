"""Addresses of hosts, and the testbed's own directory inside its namespaces."""

SUBNET = "10.77.0.0/16"
PRIVATE = "/run/testbed"  # inside the namespaces only


def address(index):
    """The address of host number `index`, inside the testbed's own subnet only."""
    number = index + 1
    number += 2 * (number // 254)  # no host ends in .255 or .0, which people take for broadcasts
    return f"10.77.{number // 256}.{number % 256}"


def hardware(index):
    """The Ethernet address by which the fabric knows port `index`."""
    return f"02:70:62:{index >> 16 & 255:02x}:{index >> 8 & 255:02x}:{index & 255:02x}"
