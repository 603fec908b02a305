"""
Which interface carries messages between hosts is what Open MPI uses, not what the default route says:
hosts with a management interface, and the model that pipebcast-tune measures there.
"""

import os
import re
import sys

from cluster import SCRATCH, SRCDIR, host_is_busy, main, need_program, need_testbed, on, tap, tool, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PROGRAM = os.path.join(BUILD, "test/mpi/run_bcast")
TUNE = os.path.join(BUILD, "contrib/tools/tune/pipebcast-tune")
PATH = write("gate.conf", "SwitchName=s0 Nodes=n[0-2]\n")
MODEL = os.path.join(SCRATCH, "gate.model")
SERVED = "pipebcast: communicator MPI_COMM_WORLD: 3 ranks on 3 hosts, .* messages between hosts go over "
FORMS = {"include": "the testbed's networks are named", "exclude": "the management interface is excluded"}


def add_management(host, number):
    """An interface that leads nowhere, with the default route and another MTU."""
    commands = ("ip link add mgmt type veth peer name mgmtpeer", "ip link set mgmt mtu 1400",
                f"ip addr add 172.31.255.{number + 1}/24 dev mgmt", "ip link set mgmt up",
                "ip link set mgmtpeer up", "ip route replace default via 172.31.255.254")  # fmt: skip
    answer = on(host, "sh", "-ec", "; ".join(commands) + "; ip route show default")
    return answer.returncode == 0 and "dev mgmt" in answer.stdout


def interface_of(host):
    """The interface that the testbed gave a host, and its MTU."""
    shown = on(host, "sh", "-c", "ip -o -4 addr show scope global; ip -o link").stdout
    name = next(n for n in re.findall(r"^\d+: (\S+) +inet", shown, re.M) if n != "mgmt")
    return name, int(re.search(rf"^\d+: {name}[@:].* mtu (\d+)", shown, re.M).group(1))


def job(program, *arguments, form="include"):
    """Output of a job of all hosts."""
    if form == "exclude":  # instead of what the testbed names
        program = ["env", "-u", "OMPI_MCA_btl_tcp_if_include",
                   "OMPI_MCA_btl_tcp_if_exclude=lo,mgmt", *program]  # fmt: skip
    answer = tool("mpirun", "--name", "t", "--timeout", "60", "--",
                  *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
                  "--mca", "coll_pipebcast_verbose", "1", *arguments, *program)  # fmt: skip
    said = answer.stdout + answer.stderr
    if answer.returncode != 0:
        tap.note(said)
    return said


def serves(said, pattern, text):
    if not tap.ok("PASS" in said and re.search(SERVED + pattern, said) is not None, text):
        tap.note(said)


def run():
    tool("up", "--topology", PATH, "--name", "t", "--rate", "100mbit")
    for number, host in enumerate(("n0", "n1", "n2")):
        tap.ok(add_management(host, number), f"{host} has a management interface with the default route")
    agent = write("agent", "#!/bin/sh\nhost=$(awk -v address=$1 '$1 == address {print $2}' /etc/hosts)\nshift\n"
                  'exec /run/testbed/agent "$host" "$@"\n')  # fmt: skip
    os.chmod(agent, 0o755)
    addresses = re.findall(r"^(\S+)\s+n[0-2]$", on("n0", "cat", "/etc/hosts").stdout, re.M)
    said = job([PROGRAM], "--mca", "plm_rsh_agent", agent, "--host", ",".join(addresses), "--mca", "coll_pipebcast_topology_file", PATH)
    serves(said, "", "hosts that the launcher knows by their addresses")
    tap.ok("no switch of host" not in said, "are those of the topology file, by their own names")
    name, mtu = interface_of("n0")
    for form, text in FORMS.items():
        serves(job([PROGRAM], form=form), rf"ob1 with btl tcp on {name}[ ,].* \(TCP over Ethernet\)",
               f"{text}: messages go over {name}")  # fmt: skip
    said = job([PROGRAM], "--mca", f"btl_tcp_bandwidth_{name}", "100")
    serves(said, rf"ob1 with btl tcp on {name}, 100 Mbit/s", "its rate can be stated")
    tap.ok(f"assumed from links of 100 Mbit/s and an MTU of {mtu}" in said,
           f"costs are assumed from it, with the MTU {mtu}")  # fmt: skip

    rate = ("--mca", f"btl_tcp_bandwidth_{name}", "100")
    # The first two are faster.
    unlike = ["sh", "-c", f"[ $(hostname) = n2 ] || export OMPI_MCA_btl_tcp_bandwidth_{name}=1000; exec \"$@\"", "sh"]
    was_busy = False
    for seconds in (2, 8, 32):  # Where other programs keep the processors busy, times may not settle.
        said = job([*unlike, TUNE, "--sizes", "256,1426,4K", "--time-limit", str(seconds), "--precision", "50",
                    "--quiet", "--output", MODEL], *rate)  # fmt: skip
        if "no model was written" not in said:
            break
        was_busy = host_is_busy() or was_busy
    else:
        tool("down", "--name", "t")
        if was_busy:
            tap.skip("the model of pipebcast-tune", "the host is busy, and times do not settle")
        else:
            tap.ok(False, "times settle on a host that is not busy")
            tap.note(said)
        return
    with open(MODEL, encoding="utf-8") as file:
        lines = file.read().splitlines()
    tap.ok(f"transport ob1 btl tcp interface {name} rate 100" in lines,
           "pipebcast-tune records the interface, and the rate of the slowest host")  # fmt: skip
    model = ("--mca", "coll_pipebcast_model_file", MODEL)
    tap.ok(f"costs: {MODEL}; " in job([*unlike, PROGRAM], *model, *rate), "its model is taken there")
    said = job([PROGRAM], *model, "--mca", f"btl_tcp_bandwidth_{name}", "1000")
    tap.match(said, "was measured on links of 100 Mbit/s, but the slowest link .* has 1000 Mbit/s",
              "and refused on faster links")  # fmt: skip
    tool("down", "--name", "t")


need_program("mpirun", "ompi_info", "ip")
need_testbed()
main(run)
