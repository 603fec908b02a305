"""No PML and no algorithm makes a job fail, hang or get wrong bytes: a rank on each of 16 hosts, and
several; in the short suite 8 hosts, as ranks of other PMLs than ob1 spin. Nothing is timed."""

import os

from cluster import IS_LONG, main, need_program, need_testbed, plugin_path, tap, tool, write

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
N_HOSTS, LEAVES = (16, ("n[0-6]", "n[7-10]", "n[11-15]")) if IS_LONG else (8, ("n[0-2]", "n[3-4]", "n[5-7]"))
TOPOLOGY = "".join(f"SwitchName=s{i} Nodes={hosts}\n" for i, hosts in enumerate(LEAVES)) + "SwitchName=s3 Switches=s[0-2]\n"
# By name: what the component is called, and its parameters. The network that libfabric and UCX
# take is named, as they look at other ones than Open MPI's parameters say.
UCX = ("--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any",
       "-x", "UCX_NET_DEVICES=eth0")  # fmt: skip
PMLS = {
    "ob1 over TCP": ("ob1", ("--mca", "btl", "self,tcp")),
    "ob1 over TCP and shared memory": ("ob1", ("--mca", "btl", "self,vader,tcp")),
    "ucx over TCP": ("ucx", (*UCX, "-x", "UCX_TLS=tcp,self")),
    "ucx over TCP and shared memory": ("ucx", (*UCX, "-x", "UCX_TLS=tcp,sm,self")),
    "cm": ("cm", ("--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp",
                  "--mca", "btl", "^ofi,openib", "-x", "FI_TCP_IFACE=eth0")),
    "monitoring": ("monitoring", ("--mca", "pml_monitoring_enable", "1",
                                  "--mca", "pml_monitoring_enable_output", "0")),
}  # fmt: skip
TREES = "twotree chain binary kary flat binomial rank_chain rank_binary".split()
WAYS = [("algorithm", "twotree"), ("arrival", "nb")]
WAYS += [("arrival", "b"), *(("algorithm", tree) for tree in TREES[1:])] if IS_LONG else []
PROGRAMS = (("run_bcast",), ("run_communicators", "5"), ("run_nonblocking", "12", "3"))
# 48 ranks on two processors take minutes for all sizes in segments of 500 bytes from each root, and the
# short suite has all sizes over each PML in test/mpi/transports.test.
FEW_SIZES = ("63", "64", "999", "6400")
SIZES = {1: () if IS_LONG else FEW_SIZES, 3: (*FEW_SIZES, "65536")}


def passes(path, ppn, options, way, program):
    parameters = {
        "coll": "pipebcast,tuned,libnbc,basic,inter,self",
        "mca_base_component_path": plugin_path(),
        "coll_pipebcast_topology_file": path,
        "coll_pipebcast_min_size": "64",
        "coll_pipebcast_segment_size": "500",
        "coll_pipebcast_verbose": "1",
        f"coll_pipebcast_{way[0]}": way[1],
    }
    answer = tool(
        "mpirun", "--name", "t", "--ppn", str(ppn), "--timeout", "100" if ppn == 1 else "200", "--", "--bind-to", "none",
        *[word for item in parameters.items() for word in ("--mca", *item)],
        *options, os.path.join(BUILD, "test/mpi", program[0]), *program[1:],
        *(SIZES[ppn] if program[0] == "run_bcast" else ()),
    )  # fmt: skip
    good = answer.returncode == 0 and "PASS" in answer.stdout
    served = "served by pipebcast" in answer.stderr + answer.stdout
    if not good or not served:
        tap.note(f"status {answer.returncode}: " + (answer.stdout + answer.stderr)[-3000:])
    return good and served


def check_pml(path, ppn, name, options):
    """Every way with one program on each host; each program by two ways."""
    for way in WAYS if ppn == 1 else WAYS[:3]:
        for program in PROGRAMS if IS_LONG and way in WAYS[:2] else PROGRAMS[:1]:
            tap.ok(passes(path, ppn, options, way, program),
                   f"{name}, {N_HOSTS * ppn} ranks, {way[0]} {way[1]}, {program[0]}")  # fmt: skip


def run():
    components = os.popen("ompi_info --parsable").read()
    path = write("transports.conf", TOPOLOGY)
    for ppn in (1, 3) if IS_LONG else (1,):
        tool("up", "--topology", path, "--name", "t", "--rate", "50mbit", "--ppn", str(ppn))
        for name, (pml, options) in PMLS.items():
            if f"mca:pml:{pml}:version" in components and (IS_LONG or name in ("ucx over TCP", "cm")):
                check_pml(path, ppn, name, options)
        tool("down", "--name", "t")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
