"""
A job that Slurm starts needs no topology file: the network that its processes' addresses make is the
one that the file would have given, whoever starts them, and its trees are free of contention.
"""

import os
import re

from cluster import IS_LONG, SCRATCH, main, need_program, need_testbed, plugin_path, skip_all, status, tap, tool, write
from slurm import Installation, Slurm

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PROGRAM = os.path.join(BUILD, "test/mpi/run_bcast")
COUNTERS = os.path.join(BUILD, "contrib/tools/counters/pipebcast-counters")
NODES = [f"n{i}" for i in range(1, 7)]
# Neighbors in rank order are on different switches, which makes a chain in that order cross
# all trunks several times.
LEAVES = "SwitchName=s1 Nodes=n[1,4]\nSwitchName=s2 Nodes=n[2,5]\nSwitchName=s3 Nodes=n[3,6]\n"
TREE = "SwitchName=core Switches=s[1-3]\n" + LEAVES
SPINES = "SwitchName=spine1 Switches=s[1-3]\nSwitchName=spine2 Switches=s[1-3]\n" + LEAVES
NETWORK = r"MPI_COMM_WORLD: 6 ranks on 6 hosts, served by pipebcast; the network has 6 hosts on 4 switches "
SERVED = NETWORK + r"\(the addresses of the hosts\)"
SERVED_BY_FILE = NETWORK + r"\(/"
SUBNET = "10.77.0.0/16"
MESSAGE = 1000000
# TCP's and Ethernet's headers, acknowledgements of what goes the other way, and the job's own messages.
OVERHEAD, REST = 1.12, 300000


def variables(verbose=1):
    """Open MPI's parameters on a testbed; pipebcast's own are none but that it is used and reports."""
    return {
        "OMPI_MCA_mca_base_component_path": plugin_path(),
        "OMPI_MCA_coll": "pipebcast,tuned",
        "OMPI_MCA_coll_pipebcast_verbose": str(verbose),
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,tcp",
        "OMPI_MCA_btl_tcp_if_include": SUBNET,
        "OMPI_MCA_oob_tcp_if_include": SUBNET,
        "OMPI_MCA_orte_tmpdir_base": "/run/testbed/tmp",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # With Slurm 22.05's usual fences, a rank of Open MPI 4.1.4 may leave MPI_Init before another one can
        # receive what it sends, which crashes in btl/tcp, without pipebcast too: 2 of 80 jobs, with it 8 of 45. Later
        # builds had 0 of 200 each, on a busy host.
        "SLURM_PMIX_FENCE": "tree",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_prte_if_include": SUBNET,
        "PRTE_MCA_prte_tmpdir_base": "/run/testbed/tmp",
    }


def job(slurm, program, *arguments):
    answer = slurm.run(program, *arguments, **variables())
    return answer.stdout + answer.stderr


def check(slurm, said, text, *patterns):
    """Whether a job was right and printed something to each pattern."""
    if not tap.ok("PASS" in said and all(re.search(pattern, said) for pattern in patterns), text):
        tap.note(said + slurm.logs())


def with_file(path, program=PROGRAM):
    """A program that reads a topology file."""
    return ["env", f"OMPI_MCA_coll_pipebcast_topology_file={path}", program]


def most_on_trunks(slurm, *program):
    """Bytes on the trunk that a job uses most, one way, and what it printed."""
    tool("status", "--name", "t", "--reset")
    said = job(slurm, "srun", "--mpi=pmix", "-N6", *program)
    trunks = [link for ends, link in status()["links"].items() if "core" in ends]
    return max(link["bytes"] for link in trunks), said


def test_launchers(slurm):
    said = job(slurm, "srun", "--mpi=pmix", "-N6", PROGRAM)
    check(slurm, said, "srun: the job's addresses are its topology", SERVED)
    path = write("tree.conf", TREE)
    said = job(slurm, "srun", "--mpi=pmix", "-N6", *with_file(path))
    check(slurm, said, "the network of the topology file is as large", SERVED_BY_FILE)
    said = job(slurm, "salloc", "-N6", "mpirun", PROGRAM)
    check(slurm, said, "mpirun inside salloc", SERVED)
    out = os.path.join(SCRATCH, "batch.out")
    batch = write("batch.sh", "#!/bin/sh\nexec mpirun " + " ".join(f"'{word}'" for word in with_file(path)) + "\n")
    said = job(slurm, "sbatch", "-W", "-N6", "-o", out, batch)
    with open(out, encoding="utf-8") as file:
        said += file.read()
    check(slurm, said, "mpirun inside sbatch, with the topology file", SERVED_BY_FILE)


def test_no_parameter(slurm):
    """Nothing but where the plugin of the build tree is; contrib/package/try-slurm does without that, too."""
    answer = slurm.run("srun", "--mpi=pmix", "-N6", COUNTERS, "-m", "64K", SLURM_PMIX_FENCE="tree",
                       OMPI_MCA_mca_base_component_path=plugin_path())  # fmt: skip
    served = re.findall(r"^coll_pipebcast_broadcasts_\w+ +(\d+)", answer.stdout, re.M)
    passed = re.findall(r"^coll_pipebcast_fallback_\w+ +[1-9]", answer.stdout, re.M)
    if not tap.ok(answer.returncode == 0 and any(map(int, served)) and not passed,
                  "srun with no parameter: pipebcast serves broadcasts"):  # fmt: skip
        tap.note(answer.stdout + answer.stderr + slurm.logs())


def test_contention(slurm):
    """Each rank is the root of one broadcast."""
    program = (PROGRAM, str(MESSAGE))
    least = len(NODES) * MESSAGE
    with_tree, said = most_on_trunks(slurm, *program)
    check(slurm, said, "a long message from each root", SERVED)
    tap.ok(least / 2 < with_tree < least * OVERHEAD + REST,
           f"no trunk carries more than each message once: {with_tree / least:.2f}")  # fmt: skip
    without, said = most_on_trunks(slurm, "env", "-u", "SLURM_TOPOLOGY_ADDR", *program)
    check(slurm, said, "without addresses all hosts are taken to be on one switch", "on 1 switch ")
    tap.ok(without > 1.3 * with_tree, f"and then some trunk carries more: {without / least:.2f}")


def test_spines(slurm):
    slurm.set_topology(SPINES)
    if not tap.ok(slurm.restart(), "Slurm starts again, with two spines"):
        tap.note(slurm.logs())
    said = job(slurm, "srun", "-N6", "printenv", "SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN")
    tap.match(said, r"spine\[1-2\]\.s1\.n4\nswitch\.switch\.node", "addresses have both spines in one place")
    said = job(slurm, "srun", "--mpi=pmix", "-N6", *with_file(write("spines.conf", SPINES)))
    check(slurm, said, "they are merged, as those of the topology file are", SERVED_BY_FILE)


def run():
    path = write("slurm-hosts.conf", TREE + "SwitchName=core Nodes=n0\n")
    tool("up", "--topology", path, "--name", "t", "--rate", "100mbit")
    slurm = Slurm("t", "n0", NODES, TREE)
    if not tap.ok(slurm.start(), f"Slurm {slurm.installation.version} runs on the testbed's hosts"):
        tap.note(slurm.logs())
        return
    test_launchers(slurm)
    test_no_parameter(slurm)
    test_contention(slurm)
    if IS_LONG:
        test_spines(slurm)


if os.getuid() != 0:
    skip_all("slurmd needs root")
need_program("mpirun", "ompi_info")
need_testbed()
if Installation().version >= (23, 11):
    skip_all("the configuration is one for Slurm 22.05 and 23.02; later ones have not been tried")
main(run)
