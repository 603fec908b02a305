"""What each switch would know of its neighbours by LLDP, as lldpcli prints it."""

import re

from .addresses import hardware

# How lldpcli prints the type of a transceiver, by its rate.
TRANSCEIVERS = {
    10**7: "10BaseTFD - UTP MAU, full duplex mode",
    10**8: "100BaseTXFD - 2 pair category 5 UTP, full duplex mode",
    10**9: "1000BaseTFD - Four-pair Category 5 UTP, full duplex mode",
    10**10: "10GbaseT - Four-pair Category 6A or better, full duplex mode only",
}


def merged_names(name, count):
    """The names of the switches that a node stands for: "spine[1-2],other" is three."""
    names = []
    for item in re.findall(r"[^,\[]+(?:\[[^]]*\])?", name):
        stem, _, ranges = item.rstrip("]").partition("[")
        for part in ranges.split(",") if ranges else [None]:
            match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part or "")
            if match is None:
                names.append(stem)
                continue
            first, last = match.group(1), match.group(2) or match.group(1)
            names += [f"{stem}{n:0{len(first)}}" for n in range(int(first), int(last) + 1)]
    # A name that would be too long is cut off: the others are numbered.
    return names if len(names) == count else [f"{name}/{i}" for i in range(count)]


class Switches:
    """The switches of a testbed one by one, and what each would know of its neighbours by LLDP."""

    def __init__(self, facts):
        self.hosts = {name: index for index, name in enumerate(facts["hosts"])}
        self.nodes = [name for _, name, _, _ in facts["nodes"]]
        self.names = {
            name: merged_names(name, facts["merged"].get(name, 1)) for name in self.nodes
        }
        self.ports = {}  # of each switch, by where the port leads

    def system(self, node, index):
        """(system name, chassis ID, capability) of a host, or of one of the switches of a node."""
        if node in self.hosts:
            return node, hardware(self.hosts[node]), "Station"
        number = index << 16 | self.nodes.index(node)
        octets = ":".join(f"{number >> shift & 255:02x}" for shift in (16, 8, 0))
        return self.names[node][index], f"02:70:73:{octets}", "Bridge"

    def port(self, at, to, member):
        """How a switch calls the port of one of its links; a host has one interface."""
        if at[0] in self.hosts:
            return "eth0"
        if to[0] in self.hosts:
            return f"port{self.hosts[to[0]]}" + (f".{member}" if member else "")
        ports = self.ports.setdefault(at, {})
        return ports.setdefault((to, member), f"swp{len(ports) + 1}")

    def neighbour(self, link):
        """What lldpcli -f json0 show neighbors details prints of the far end of a link, in short."""
        at, to = ((link[end], link[end + "_switch"]) for end in ("from", "to"))
        name, chassis, capability = self.system(*to)
        end = {"id": [{"type": "ifname", "value": self.port(to, at, link["member"])}]}
        if link["rate"] in TRANSCEIVERS:
            end["auto-negotiation"] = [
                {"supported": True, "enabled": True,
                 "current": [{"value": TRANSCEIVERS[link["rate"]]}]}
            ]  # fmt: skip
        return {
            "name": self.port(at, to, link["member"]),
            "via": "LLDP",
            "chassis": [
                {
                    "id": [{"type": "mac", "value": chassis}],
                    "name": [{"value": name}],
                    "capability": [{"type": capability, "enabled": True}],
                }
            ],
            "port": [end],
        }

    def tables(self, links):
        """The tables of all switches, by name."""
        found = {name: [] for node, names in self.names.items() if node not in self.hosts for name in names}
        for link in links:
            if link["from"] not in self.hosts:
                name = self.names[link["from"]][link["from_switch"]]
                found[name].append(self.neighbour(link))
        return found
