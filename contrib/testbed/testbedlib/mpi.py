"""mpirun on a testbed's hosts: its parameters, for each MPI, and its list of hosts."""

import os
import re
import shutil
import subprocess

from pipebcast_sizes import in_natural_order

from .addresses import PRIVATE, SUBNET
from .failure import Failure, Unable
from .host import costs_text
from .inside import Program, program_environment

DILATED_LOOK_US = 3  # of dilated time, between two looks of an idle rank at its network
LOOK_US = 40  # of a processor, for one look of an idle rank at its network, with cold caches
MPICH = 0  # in the place of a series of Open MPI


def mpi_series(mpirun):
    """
    The first number of Open MPI's version, or MPICH; the newest that is known of Open MPI if `mpirun`
    reports none.
    """
    try:
        answer = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
    except OSError:
        answer = ""
    if answer.startswith("HYDRA"):
        return MPICH
    found = re.search(r"\(Open MPI\) ([0-9]+)\.", answer)
    return int(found.group(1)) if found else 6


def mpich_parameters(hostfile):
    """MPICH's launcher, and TCP for what carries its messages, libfabric or UCX."""
    return {
        "HYDRA_HOST_FILE": hostfile,
        "HYDRA_LAUNCHER": "rsh",  # calls the agent as Open MPI does: with a host and a command line
        "HYDRA_LAUNCHER_EXEC": PRIVATE + "/agent",
        "HYDRA_IFACE": "eth0",
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": "eth0",
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": "eth0",
        "PIPEBCAST_IDLE_EMPTY": "8",  # it never yields
    }


def launcher_parameters(series, hostfile):
    """
    Where mpirun finds hosts, and how it starts its daemons there. Each series gets its own names
    only: a newer one warns of an older one's.
    """
    if series <= 4:
        return {
            "OMPI_MCA_orte_default_hostfile": hostfile,
            "OMPI_MCA_orte_tmpdir_base": PRIVATE + "/tmp",
            "OMPI_MCA_plm_rsh_agent": PRIVATE + "/agent",
            "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
            "OMPI_MCA_oob_tcp_if_include": SUBNET,
            "OMPI_MCA_hwloc_base_binding_policy": "none",
        }
    binding = "hwloc_default_binding_policy" if series == 5 else "bindto"
    return {  # from 5 on the launcher is PRRTE
        "PRTE_MCA_prte_default_hostfile": hostfile,
        "PRTE_MCA_prte_tmpdir_base": PRIVATE + "/tmp",
        "PRTE_MCA_plm_ssh_agent": PRIVATE + "/agent",
        "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
        "PRTE_MCA_prte_if_include": SUBNET,
        "PRTE_MCA_" + binding: "none",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        # PMIx looks for components of its own in Open MPI's directories too, and complains of others.
        "PMIX_MCA_mca_base_component_show_load_errors": "none",
    }


def openmpi_parameters(series, ppn):
    local = ",vader" if ppn > 1 else ""
    return {
        **launcher_parameters(series, f"{PRIVATE}/hostfile.{ppn}"),
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,tcp" + local,
        "OMPI_MCA_btl_tcp_if_include": SUBNET,
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }


def mpi_environment(facts, ppn, mpirun):
    """The MPI's parameters for this cluster; what the user has set stays as it is."""
    env = program_environment(facts)
    series = mpi_series(mpirun)
    parameters = (
        mpich_parameters(f"{PRIVATE}/hostfile.mpich.{ppn}")
        if series == MPICH
        else openmpi_parameters(series, ppn)
    )
    for key, value in parameters.items():
        env.setdefault(key, value)
    if facts["idle"]:
        env["LD_PRELOAD"] = " ".join(filter(None, [facts["idle"], env.get("LD_PRELOAD")]))
        usual = idle_time(ppn, ppn * len(facts["hosts"]))
        env.setdefault("PIPEBCAST_IDLE_US", str(max(usual, DILATED_LOOK_US * facts["dilation"])))
    if facts["costs"]:
        env["PIPEBCAST_DILATION"] = str(facts["dilation"])
        env["PIPEBCAST_HOST_COSTS"] = costs_text(facts["costs"])
    return env


def idle_time(ppn, n_ranks):
    """How long an idle rank waits between two looks at what no event reports, in microseconds.
    Ranks on one host send each other nothing by the network, so they look more often; but all
    looks together take at most half of this computer, or those with something to do would wait
    for it: 48 ranks that looked every 200 us took 1.64 of its 2 processors."""
    usual = 1000 if ppn == 1 else 200
    return max(usual, LOOK_US * n_ranks * 2 // os.cpu_count())


def find_mpirun(mpirun, arguments):
    """How to call mpirun; checked before anything is built."""
    if not arguments:
        raise Failure("mpirun needs a program: write its arguments and the program after --")
    if os.sep in mpirun:
        if not os.access(mpirun, os.X_OK):
            raise Failure(f"--mpirun {mpirun}: no such program")
        mpirun = os.path.abspath(mpirun)  # with a path, mpirun finds its own daemons by it
    elif shutil.which(mpirun) is None:
        raise Unable(f"'{mpirun}' is not found: install Open MPI, or give --mpirun PATH")
    return mpirun


def write_hostfile(facts, ppn):
    """mpirun's list of hosts, in both forms; called inside, so that no one else sees it."""
    for name, slots in (("hostfile", " slots="), ("hostfile.mpich", ":")):
        path = f"{PRIVATE}/{name}.{ppn}"
        with open(f"{path}.{os.getpid()}", "w", encoding="ascii") as file:
            file.writelines(f"{host}{slots}{ppn}\n" for host in in_natural_order(facts["hosts"]))
        os.rename(f"{path}.{os.getpid()}", path)


def start_mpirun(facts, mpirun, ppn, arguments):
    """Starts mpirun on the first host; `mpirun` comes from find_mpirun()."""
    return Program(
        facts,
        in_natural_order(facts["hosts"])[0],
        [mpirun, *arguments],
        mpi_environment(facts, ppn, mpirun),
        prepare=lambda: write_hostfile(facts, ppn),
    )
