"""Starting a testbed, and ending one that this process has started."""

import json
import os
import socket
import struct
import subprocess
import sys
import time

from .changes import Nodes, fabric_set_switch
from .control import do_now
from .failure import Failure, Unable
from .host import read_host
from .kernel import find_program
from .programs import find_fabric, find_idle
from .script import Script
from .states import State
from .topology import Topology


def receive_pid(channel):
    """The keeper's first word, with its process number as seen from here."""
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    room = socket.CMSG_SPACE(struct.calcsize("3i"))
    said, ancillary, _, _ = channel.recvmsg(64, room)
    if not said:  # credentials come with the end, too
        return None
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return struct.unpack("3i", data[: struct.calcsize("3i")])[0]
    return None


class Testbed:
    """A testbed that this process has started."""

    def __init__(self, name, options):
        self.fabric = find_fabric(options.installed)
        self.topology = Topology(options.topology, self.fabric)
        find_program("ip", "iproute2")
        find_program("nsenter", "util-linux")
        if options.fabric == "kernel":
            find_program("tc", "iproute2")
            if options.loss or options.no_multicast:
                raise Failure("--fabric kernel knows no --loss and --no-multicast: leave them out")
            if self.topology.members or self.topology.merged:
                raise Failure("--fabric kernel knows no parallel links: leave it out")
        if options.offload and (options.fabric != "kernel" or options.dilation > 1):
            raise Failure("--offload is for --fabric kernel at full speed: leave it out")
        nodes = Nodes(self.topology.nodes)
        for switch in options.no_multicast:
            nodes.check_switch(switch)
        self.rootless = options.rootless or os.geteuid() != 0
        self.state = State(name)
        self.options = options
        self.host = None
        if options.dilation > 1:
            if options.idle == "spin":
                raise Failure("--dilation needs ranks that sleep: leave out --idle")
            self.host = read_host(options.host or os.path.join(options.installed.data, "host-virtual.conf"))
            if options.fabric == "kernel" and self.host["interrupt"]:
                raise Failure("--fabric kernel hands on each frame: give a --host whose interrupt is 0")
        elif options.host:
            raise Failure("--host is for --dilation: add it")
        self.process = None
        self.channel = None

    def script(self):
        """The script of the options, or None."""
        options = self.options
        if options.script is None:
            return None
        return Script(options.script, self.topology.nodes, options.fabric, options.mtu)

    def start(self):
        lock = self.state.create()
        try:
            self.spawn(lock)
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        finally:
            os.close(lock)

    def spawn(self, lock):
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        command = [find_program("unshare", "util-linux")]
        if self.rootless:
            command += ["--user", "--map-root-user"]
        command += ["--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
        # -E -S: no site packages, which only cost time here
        command += [sys.executable, "-E", "-S", self.options.installed.program, "__keep", str(theirs.fileno()), str(lock)]
        os.set_inheritable(lock, True)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(), lock),
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        self.channel = ours
        self.pid = receive_pid(ours)
        if self.pid is None:
            said = self.process.stderr.read().decode(errors="replace").strip()
            raise Unable(self.why_not(said))
        self.process.stderr.close()

    def why_not(self, said):
        """Why the namespaces could not be made, and what may be done."""
        hint = "the kernel must allow network, mount and process namespaces"
        if self.rootless:
            hint = (
                "without root this needs user namespaces: see the sysctls user.max_user_namespaces, "
                "kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns, "
                "or run as root"
            )
        return f"private namespaces cannot be made ({said or 'no reason given'}): {hint}"

    def order(self):
        options = self.options
        return {
            "state": self.state.path,
            "fabric": self.fabric,
            "topology": self.topology.path,
            "hosts": self.topology.hosts,
            "nodes": self.topology.nodes,
            "base_speed": self.topology.base_speed,
            "members": self.topology.members,
            "merged": self.topology.merged,
            "kind": options.fabric,
            "offload": options.offload,
            "dilation": options.dilation,
            "rate": max(1, options.rate // options.dilation),
            "latency": options.latency * options.dilation,
            "interrupt": self.host["interrupt"] * options.dilation if self.host else 0,
            "costs": self.host,
            "host_queue": options.host_queue,
            "switch_queue": options.switch_queue,
            "mtu": options.mtu,
            "loss": options.loss,
            "loss_seed": options.loss_seed,
            "no_multicast": options.no_multicast,
            "hash_seed": options.hash_seed,
            "idle": find_idle(options.installed) if options.idle == "sleep" else None,
        }

    def wait_ready(self):
        order = self.order()
        self.channel.sendall(json.dumps(order).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = self.channel.recv(4096)
            if not part:
                raise Failure("the testbed's keeper died while setting up")
            answer += part
        message = json.loads(answer)
        if "error" in message:
            raise (Unable if message.get("unable") else Failure)(message["error"])
        for switch in order["no_multicast"]:
            do_now(self.state, [fabric_set_switch(switch, {"multicast": 0})])
        facts = dict(order, keeper=self.pid, rootless=self.rootless, ppn=self.options.ppn,
                     started=time.time(), name=self.state.name)  # fmt: skip
        self.state.save(facts)
        self.facts = facts

    def detach(self):
        self.channel.sendall(b"detach\n")
        self.channel.close()

    def last_words(self):
        """What the keeper reported when it ended by itself, or None."""
        try:
            self.channel.setblocking(False)
            said = self.channel.recv(4096)
            return json.loads(said).get("error") if said else None
        except (OSError, ValueError):
            return None

    def stop(self):
        """Ends the keeper and waits until the kernel has taken everything down."""
        if self.channel is not None:
            self.channel.close()
        if self.process is not None:
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.state.remove()
