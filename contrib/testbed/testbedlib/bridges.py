"""The kernel as a fabric: bridges as switches, token buckets as links."""

import json
import subprocess

from .failure import Failure, Unable
from .kernel import find_program

# What the fabric counts of its own, synthetic frames on a link.
LOAD_KEYS = ("load_frames", "load_bytes", "load_drops", "load_drop_bytes", "load_busy")


class KernelLink:
    """One way of a link as a token bucket: the device that sends on it, and where that is."""

    def __init__(self, sender, receiver, host, device, rate, limit, order):
        self.sender, self.receiver = sender, receiver
        self.dilation, self.offload = order["dilation"], order["offload"]
        self.host = host  # None: in the keeper's own network namespace
        self.device = device
        self.rate, self.limit = rate, limit
        self.frame = order["mtu"] + 14

    def bucket(self, action):
        """
        tc's words. A bucket must hold a frame (and some more, as the kernel counts its size in
        ticks of time), and what the rate brings in 0.1 ms, as timers are no better than that.
        The kernel counts frames of a super-packet itself, but not with a table of sizes.
        """
        burst = max(self.frame + 24 + 128, self.rate * self.dilation // 8 // 10000)
        sizes = "" if self.offload else "stab overhead 24 mpu 84 linklayer ethernet "
        return (
            f"qdisc {action} dev {self.device} {sizes}root "
            f"tbf rate {self.rate}bit burst {burst} limit {self.limit}"
        )


def kernel_links(order):
    """Every directed link of the network, as bridges and token buckets make it."""
    ports = {name: index for index, name in enumerate(order["hosts"])}
    links = []
    for number, (kind, name, parent, speed) in enumerate(order["nodes"]):
        if parent is None:
            continue
        rate = round(order["rate"] * speed / order["base_speed"])
        if kind == "host":
            up = KernelLink(name, parent, name, "eth0", rate, order["host_queue"], order)
            down = KernelLink(parent, name, None, f"port{ports[name]}", rate, order["switch_queue"], order)
        else:
            up = KernelLink(name, parent, None, f"up{number}", rate, order["switch_queue"], order)
            down = KernelLink(parent, name, None, f"down{number}", rate, order["switch_queue"], order)
        links += [up, down]
    for link in links:  # as `set` has changed them
        link.rate, link.limit = order.get("buckets", {}).get(f"{link.sender} {link.device}", (link.rate, link.limit))
    return links


def bridge_lines(order):
    """ip's words for the switches, and the links between them."""
    numbers = {node[1]: number for number, node in enumerate(order["nodes"])}
    ports = {name: index for index, name in enumerate(order["hosts"])}
    lines, links = [], []
    for number, (kind, name, parent, _) in enumerate(order["nodes"]):
        if kind == "host" and parent is not None:
            links.append(f"link set port{ports[name]} master sw{numbers[parent]}")
        elif kind == "switch":
            lines.append(f"link add sw{number} mtu {order['mtu']} type bridge mcast_snooping 0")
            lines.append(f"link set sw{number} up")
            if parent is not None:
                mtu = f"mtu {order['mtu']}"
                links += [
                    f"link add up{number} {mtu} type veth peer name down{number} {mtu}",
                    f"link set up{number} master sw{number} up",
                    f"link set down{number} master sw{numbers[parent]} up",
                ]
    return lines + links


def run_tc(lines, host=None):
    where = ["-n", host] if host else []
    answer = subprocess.run(
        [find_program("tc", "iproute2"), *where, "-batch", "-"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
    )
    if answer.returncode != 0:
        said = answer.stderr.strip()
        if "unknown" in said or "No such file" in said:
            raise Unable(f"the kernel has no token bucket (CONFIG_NET_SCH_TBF); tc reports: {said}")
        raise Failure(f"tc reports: {said}")


def set_buckets(links, action):
    """Puts the token buckets of `links` in their places, one tc for each namespace."""
    places = {}
    for link in links:
        places.setdefault(link.host, []).append(link.bucket(action))
    for host, lines in places.items():
        run_tc(lines, host)


def read_buckets(order):
    """The kernel's counters of every link; run inside."""
    tc = find_program("tc", "iproute2")
    found = {}
    for host in [None, *order["hosts"]]:
        where = ["-n", host] if host else []
        answer = subprocess.run(
            [tc, *where, "-s", "-j", "qdisc", "show"], capture_output=True, text=True
        )
        for entry in json.loads(answer.stdout or "[]"):
            if entry.get("kind") == "tbf":
                found[host, entry["dev"]] = entry
    links = []
    for link in kernel_links(order):
        entry = found.get((link.host, link.device), {})
        rate = entry.get("options", {}).get("rate")
        links.append(
            {
                "from": link.sender,
                "to": link.receiver,
                "member": 0,
                "members": 1,
                "from_switch": 0,
                "to_switch": 0,
                "rate": rate * 8 if rate else link.rate,
                "latency": 0,
                "queue_limit": link.limit,
                "loss": 0,
                "frames": entry.get("packets", 0),
                "bytes": entry.get("bytes", 0),
                "drops": entry.get("drops", 0),
                "drop_bytes": None,
                "queue": entry.get("backlog", 0),
                "queue_peak": None,
                "busy": None,
                **dict.fromkeys(LOAD_KEYS, 0),
            }
        )
    return links
