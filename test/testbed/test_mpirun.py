"""Open MPI on the emulated cluster: every host is a node of its own, and the user's word counts."""

import os

from cluster import SCRATCH, main, need_program, need_testbed, tap, tool, write

HOSTS = [f"n{i}" for i in range(5)]


def mpirun(*arguments, **how):
    answer = tool("mpirun", "--name", "t", "--timeout", "60", *arguments, **how)
    if answer.returncode != 0:
        tap.note(answer.stderr)
    return answer


def run():
    path = write("mpi.conf", "SwitchName=s0 Nodes=n[0-2] Switches=s1\nSwitchName=s1 Nodes=n[3-4]\n")
    answer = tool("run", "--topology", path, "--timeout", "60", "--", "hostname")
    tap.eq(sorted(answer.stdout.split()), HOSTS, "run starts one rank on each host")
    answer = tool("run", "--topology", path, "--timeout", "60", "--ppn", "2", "--", "hostname")
    tap.eq(sorted(answer.stdout.split()), sorted(HOSTS * 2), "--ppn 2 starts two")
    answer = tool("run", "--topology", path, "--timeout", "60", "--", "-np", "2", "sh", "-c", "exit 5")
    tap.eq(answer.returncode, 5, "the exit code is mpirun's")
    dealt = write("dealt.conf", "SwitchName=s0 Nodes=n[0,2,10] Switches=s1\nSwitchName=s1 Nodes=n[1,3]\n")
    answer = tool("run", "--topology", dealt, "--timeout", "60", "--", "sh", "-c",
                  "echo $OMPI_COMM_WORLD_RANK $(hostname)")  # fmt: skip
    tap.eq(sorted(answer.stdout.splitlines()), ["0 n0", "1 n1", "2 n2", "3 n3", "4 n10"],
           "ranks follow the hosts' names, not the order in the file")  # fmt: skip
    tool("up", "--topology", path, "--name", "t", "--rate", "100mbit")
    tap.eq(sorted(mpirun("--", "-np", "3", "hostname").stdout.split()), HOSTS[:3],
           "in a standing testbed, with mpirun's own -np")  # fmt: skip
    tap.eq(sorted(mpirun("--", "-np", "2", "--host", "n3,n4", "hostname").stdout.split()),
           ["n3", "n4"], "and --host")  # fmt: skip
    tap.eq(sorted(mpirun("--ppn", "3", "--", "hostname").stdout.split()), sorted(HOSTS * 3),
           "with another --ppn than that of 'up'")  # fmt: skip
    show = "echo $PIPEBCAST_TESTBED_TOPOLOGY $MARK $OMPI_MCA_btl; pwd"
    environment = dict(os.environ, MARK="mark", OMPI_MCA_btl="self,tcp,mine")
    answer = mpirun("--", "--host", "n4", "sh", "-c", show, cwd=SCRATCH, env=environment)
    tap.eq(answer.stdout.split(), [path, "mark", "self,tcp,mine", SCRATCH],
           "ranks get the topology's path and the user's environment, parameters and directory")  # fmt: skip
    answer = mpirun("--", "--host", "n1", "sh", "-c", "ulimit -v; id -u")
    tap.eq(answer.returncode, 0, "mpirun runs as root")


need_program("mpirun")
need_testbed()
main(run)
