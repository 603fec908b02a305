"""
Slurm on the hosts of a testbed: munge, a controller and a daemon on each node, as root. What it
writes is in the test's own directory, and its processes are in the testbed's namespaces and end with it.
"""

import os
import re
import shutil
import subprocess
import sysconfig

from cluster import SCRATCH, on, skip_all, tool, wait_until, write

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmstepd", "srun", "salloc", "sbatch", "scontrol", "sinfo")
# Debian's packages of these programs and of libraries that are not on every computer.
PACKAGES = ("munge", "libmunge2", "slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins",
            "libjson-c5", "liblz4-1", "libnuma1")  # fmt: skip

CONFIG = """
ClusterName=test
SlurmctldHost={control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={directory}/munge.socket
PluginDir={plugins}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
TmpFS={directory}/tmp/%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
SlurmctldLogFile={directory}/log/slurmctld
SlurmdLogFile={directory}/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SchedulerType=sched/builtin
TopologyPlugin=topology/tree
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=1
MailProg=/bin/true
NodeName={nodes} CPUs=1 State=UNKNOWN
PartitionName=all Nodes={nodes} Default=YES State=UP
"""


def unpacked():
    """
    A directory with Debian's packages, unpacked and not installed, so that nothing of the system
    changes; kept for the next time.
    """
    cache = os.environ.get("PIPEBCAST_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pipebcast")  # fmt: skip
    root = os.path.join(cache, "slurm")
    if os.path.isdir(root):
        return root
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        skip_all("Slurm and munge are not installed, and this is no Debian to have their packages from")
    work = os.path.join(SCRATCH, "packages")
    os.makedirs(os.path.join(work, "root"))
    answer = subprocess.run(["apt-get", "download", *PACKAGES], cwd=work, stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, timeout=300)  # fmt: skip
    if answer.returncode != 0:
        skip_all("Slurm and munge are not installed, and their packages cannot be had: "
                 + (answer.stderr.strip().splitlines() or ["apt-get failed"])[-1])  # fmt: skip
    for package in os.listdir(work):
        if package.endswith(".deb"):
            subprocess.run(["dpkg", "-x", package, "root"], cwd=work, check=True)
    os.makedirs(cache, exist_ok=True)
    part = f"{root}.{os.getpid()}"
    shutil.copytree(os.path.join(work, "root"), part, symlinks=True)
    try:
        os.rename(part, root)
    except OSError:  # another test was faster
        shutil.rmtree(part)
    return root


class Installation:
    """Where the programs are: those of the system, or unpacked ones."""

    def __init__(self):
        found = {name: shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
                 for name in PROGRAMS}  # fmt: skip
        self.libraries, self.directories = [], []
        root = ""
        if not all(found.values()):
            root = unpacked()
            found = {name: self.inside(root, name) for name in PROGRAMS}
        self.programs = found
        library = f"{root}/usr/lib/{sysconfig.get_config_var('MULTIARCH') or 'x86_64-linux-gnu'}"
        self.plugins = f"{library}/slurm-wlm"
        if root:
            self.libraries = [library, self.plugins]
            self.directories = sorted({os.path.dirname(path) for path in found.values()})
        answer = subprocess.run([found["slurmd"], "-V"], capture_output=True, text=True, env=self.environment())
        version = re.search(r"(\d+)\.(\d+)", answer.stdout)
        self.version = tuple(map(int, version.groups())) if version else (0, 0)

    @staticmethod
    def inside(root, name):
        """Debian's name of a program has a suffix where a link of the system is to choose it."""
        for path in (f"usr/bin/{name}", f"usr/sbin/{name}", f"usr/sbin/{name}-wlm"):
            if os.path.isfile(os.path.join(root, path)):
                return os.path.join(root, path)
        skip_all(f"the packages in {root} lack {name}; remove that directory to have them anew")
        return None

    def environment(self):
        """What the programs need to find each other and their libraries, and mpirun to find srun."""
        added = {"LD_LIBRARY_PATH": self.libraries, "PATH": self.directories}
        env = dict(os.environ)
        for name, paths in added.items():
            if paths:
                env[name] = ":".join(paths + list(filter(None, [env.get(name)])))
        return env


class Slurm:
    """A cluster of hosts of the testbed `name`; `control` has the controller, and is no node."""

    def __init__(self, name, control, nodes, topology):
        self.name, self.control, self.nodes = name, control, nodes
        self.installation = Installation()
        self.directory = os.path.join(SCRATCH, "slurm")
        for part in ("state", "log", *(f"{kind}/{node}" for kind in ("spool", "tmp") for node in nodes)):
            os.makedirs(os.path.join(self.directory, part))
        for part in ("munge.key", "munge.seed"):
            with open(self.file(part), "wb") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(os.urandom(1024))
        write("slurm/slurm.conf", CONFIG.format(control=control, directory=self.directory, nodes=",".join(nodes),
                                                plugins=self.installation.plugins))  # fmt: skip
        # There are no control groups in the testbed, but before 24.05 some have to be named.
        cgroup = "cgroup/v1" if self.installation.version < (24, 5) else "disabled"
        write("slurm/cgroup.conf", f"CgroupPlugin={cgroup}\n")
        self.set_topology(topology)

    def file(self, name):
        return os.path.join(self.directory, name)

    def set_topology(self, text):
        write("slurm/topology.conf", text)

    def run(self, program, *arguments, on_host=None, timeout=90, **variables):
        """A program of Slurm on the control host, or another one; output and errors as text."""
        env = self.installation.environment()
        env.update(variables, SLURM_CONF=self.file("slurm.conf"))
        path = self.installation.programs[program]
        return tool("exec", "--name", self.name, "--timeout", str(timeout), on_host or self.control, "--",
                    path, *arguments, timeout=timeout + 30, env=env)  # fmt: skip

    def start(self):
        """Whether all nodes are there."""
        where = {option: self.file(f"munge.{part}") for option, part in (
            ("--key-file", "key"), ("--socket", "socket"), ("--pid-file", "pid"), ("--log-file", "log"),
            ("--seed-file", "seed"))}  # fmt: skip
        self.run("munged", "--force", *(f"{option}={path}" for option, path in where.items()))
        return self.start_daemons()

    def start_daemons(self):
        self.run("slurmctld", "-c")
        for node in self.nodes:
            self.run("slurmd", "-N", node, "-d", self.installation.programs["slurmstepd"], on_host=node)
        return wait_until(lambda: self.states() == ["idle"] * len(self.nodes), seconds=60)

    def restart(self):
        """With another topology, say."""
        daemons = ["slurmctld.pid", *(f"slurmd.{node}.pid" for node in self.nodes)]
        script = 'for file; do kill "$(cat "$file")"; done; for file; do ' \
                 'while [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null; do sleep 0.1; done; done'
        on(self.control, "sh", "-c", script, "sh", *map(self.file, daemons), name=self.name)
        return self.start_daemons()

    def states(self):
        """Of the nodes, each on its own."""
        return self.run("sinfo", "-h", "-N", "-o", "%T").stdout.split()

    def logs(self):
        """The end of each log, for a test that fails."""
        lines = []
        for name in sorted(os.listdir(self.file("log"))):
            with open(self.file(f"log/{name}"), encoding="utf-8", errors="replace") as file:
                lines += [f"{name}: {line.rstrip()}" for line in file.readlines()[-4:]]
        return "\n".join(lines)
