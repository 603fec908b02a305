"""
pipebcast-doctor over real interfaces: a sound cluster, a rate that is not there, a host that the topology
file lacks, one with another MTU, and two that do not reach each other.
"""

import json
import os
import sys

from cluster import SRCDIR, forget, main, need_program, need_testbed, on, tap, tool, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
DOCTOR = os.path.join(BUILD, "contrib/tools/doctor/pipebcast-doctor")
TRUE = write("doctor.conf", "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n2\nSwitchName=s2 Switches=s[0-1]\n")
SIX = write("doctor-six.conf", "SwitchName=s0 Nodes=n[0-2] Switches=s1\nSwitchName=s1 Nodes=n[3-5]\n")
TEN = write("doctor-ten.conf", "SwitchName=s0 Nodes=n[0-9]\n")
LACKS = write("doctor-lacks.conf", "SwitchName=s0 Nodes=n[0-1]\n")


def examine(*arguments, parameters=()):
    """Exit status, and what the doctor found."""
    answer = tool("mpirun", "--name", "t", "--timeout", "100", "--",
                  *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
                  *[word for name, value in parameters for word in ("--mca", name, value)],
                  DOCTOR, "--json", *arguments)  # fmt: skip
    try:
        return answer.returncode, json.loads(answer.stdout[answer.stdout.index("{"):])
    except ValueError:
        tap.note(answer.stdout + answer.stderr)
        return answer.returncode, {"findings": [], "rates": [], "broadcasts": []}


def finds(found, verdict, topic, text):
    return any(finding["verdict"] == verdict and finding["topic"] == topic and text in finding["text"]
               for finding in found["findings"])  # fmt: skip


def holds(good, found, text):
    if not tap.ok(good, text):
        tap.note(json.dumps(found, indent=1))


def check_sound():
    _, found = examine("--sizes", "8K,64K", "--time-limit", "20",
                       parameters=[("coll_pipebcast_topology_file", TRUE)])  # fmt: skip
    holds(found.get("hosts") == 3, found, "the hosts are those of the testbed")
    holds(finds(found, "OK", "serving", "pipebcast serves"), found, "pipebcast serves them")
    holds(finds(found, "OK", "transport", "ob1 with btl tcp on "), found, "over TCP over Ethernet")
    holds(finds(found, "OK", "MTU", "1500 bytes"), found, "with one MTU")
    holds(finds(found, "OK", "topology", "3 hosts on 3 switches"), found, "placed as the file has it")
    rates = [rate["measured_bits_per_second"] or 0 for rate in found["rates"]]
    holds(len(rates) == 3 and all(5e6 < rate < 10.2e6 for rate in rates), found,
          "the rate of each is measured: at most the link's")  # fmt: skip
    names = {rate["interface"] for rate in found["rates"]}
    holds(len(names) >= 1 and None not in names and "lo" not in names, found, "of the interface that is used")
    holds([broadcast["bytes"] for broadcast in found["broadcasts"]] == [8 << 10, 64 << 10] and
          all(broadcast["pipebcast_s"] > 0 and broadcast["fallback_s"] > 0 for broadcast in found["broadcasts"]),
          found, "broadcasts of both components")  # fmt: skip


def check_reported_rate():
    name = next(rate["interface"] for rate in examine("--sizes", "1K", "--time-limit", "5")[1]["rates"])
    status, found = examine("--sizes", "1K", "--time-limit", "10",
                            parameters=[(f"btl_tcp_bandwidth_{name}", "100")])  # fmt: skip
    holds(status != 0 and finds(found, "ERROR", "rate", "of 100"), found,
          "an interface reports a rate that is not there")  # fmt: skip


def check_errors():
    status, found = examine("--quick", parameters=[("coll_pipebcast_topology_file", LACKS)])
    holds(status == 0 and finds(found, "WARNING", "topology", "lacks, which are taken to be at the top: n2"), found,
          "a host is missing in the topology")  # fmt: skip
    device = on("n1", "sh", "-c", "ip -o -4 addr show scope global").stdout.split()[1]
    on("n1", "ip", "link", "set", device, "mtu", "1400")
    status, found = examine("--quick")
    holds(status != 0 and finds(found, "ERROR", "MTU", "n1 (1400)"), found, "a host has another MTU")
    on("n1", "ip", "link", "set", device, "mtu", "1500")


def check_blocked_pair(topology, parent, child, text):
    """Between two hosts everything is lost."""
    tool("up", "--topology", topology, "--name", "t")
    forget(parent, child)
    status, found = examine("--quick", "--patience", "5", parameters=[("coll_pipebcast_topology_file", topology)])
    holds(status != 0 and finds(found, "ERROR", "edges", f"{parent} (to {child})"), found, text)
    tool("down", "--name", "t")


def run():
    tool("up", "--topology", TRUE, "--name", "t", "--rate", "10mbit")
    check_sound()
    check_reported_rate()
    check_errors()
    tool("down", "--name", "t")
    check_blocked_pair(SIX, "n1", "n2", "two hosts that do not reach each other are named")
    check_blocked_pair(TEN, "n1", "n8", "and two that are neighbors only in a kary tree")
    check_blocked_pair(SIX, "n2", "n3", "and two that a reduction needs, before any communicator is made")


need_program("mpirun", "ompi_info", "ip")
need_testbed()
main(run)
