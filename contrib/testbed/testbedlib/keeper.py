"""The keeper: process 1 of a testbed's namespaces, which makes the cluster and ends it."""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys

from .addresses import PRIVATE, SUBNET, address, hardware
from .bridges import bridge_lines, kernel_links, set_buckets
from .failure import EXIT_FAILED, Failure, Unable
from .kernel import (
    CLONE_NEWNET,
    CLONE_NEWUTS,
    LIBC,
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_REC,
    find_program,
    mount,
    setns,
    syscall,
    unshare,
)

# TCP's least retransmission time, which is dilated as far as programs can bear it.
LEAST_RTO_MS, MOST_RTO_MS = 200, 20000


class Keeper:
    """Process 1 of the testbed's namespaces. Makes the cluster and stays until it is ended."""

    def __init__(self, channel, order):
        self.channel = channel
        self.order = order
        self.hosts = order["hosts"]
        self.state = order["state"]
        self.log = open(os.path.join(self.state, "log"), "ab", buffering=0)
        self.fabric = None

    # -- files --

    def private_run(self):
        """A tmpfs over /run, with what was there still in place, but for ip's own names."""
        old = os.open("/run", os.O_PATH | os.O_DIRECTORY)
        entries = [e for e in os.listdir("/run") if e not in ("netns", "testbed")]
        mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
        for entry in entries:
            source, target = f"/proc/self/fd/{old}/{entry}", f"/run/{entry}"
            try:
                info = os.lstat(source)
                if stat.S_ISLNK(info.st_mode):
                    os.symlink(os.readlink(source), target)
                    continue
                if stat.S_ISDIR(info.st_mode):
                    os.mkdir(target)
                else:
                    os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
                mount(source, target, "", MS_BIND | MS_REC)
            except (OSError, Failure) as error:
                self.note(f"/run/{entry} is not visible inside: {error}")
        os.close(old)
        for directory in ("/run/netns", PRIVATE, PRIVATE + "/uts", PRIVATE + "/tmp"):
            os.mkdir(directory)
        os.chmod(PRIVATE + "/tmp", 0o1777)

    def hosts_file(self):
        with open(PRIVATE + "/hosts", "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n")
            for index, name in enumerate(self.hosts):
                file.write(f"{address(index)} {name}\n")
        if not os.path.exists("/etc/hosts"):
            raise Failure("this computer has no /etc/hosts to put the testbed's own over: create it")
        mount(PRIVATE + "/hosts", "/etc/hosts", "", MS_BIND)

    def scripts(self):
        """on-host runs a program on a host; agent is what mpirun calls in the place of ssh."""
        ip = find_program("ip", "iproute2")
        bind = find_program("mount", "mount")
        enter = find_program("nsenter", "util-linux")
        texts = {
            "on-host": "#!/bin/sh\n# on-host HOST PROGRAM [ARGUMENT]...\n"
            "host=$1\nshift\n"
            'if ! test -e "/run/netns/$host"; then\n'
            '    echo "testbed: no host $host in this testbed" >&2\n    exit 127\nfi\n'
            f'exec {ip} netns exec "$host" {enter} "--uts={PRIVATE}/uts/$host" -- '
            f'{PRIVATE}/with-speed "$host" "$@"\n',
            "with-speed": "#!/bin/sh\n# with-speed HOST PROGRAM [ARGUMENT]...: eth0 reports the speed of "
            f"its link\nspeed={PRIVATE}/speed/$1\nshift\n"
            f'{bind} --bind "$speed" /sys/class/net/eth0/speed || exit 125\n'
            'exec "$@"\n',
            "agent": "#!/bin/sh\n# agent HOST COMMAND-LINE...\n"
            f'host=$1\nshift\nexec {PRIVATE}/on-host "$host" /bin/sh -c "$*"\n',
        }
        for name, text in texts.items():
            path = f"{PRIVATE}/{name}"
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def speeds(self):
        """
        The speed that each host's interface reports, in Mbit/s: a virtual link reports 10 Gbit/s
        whatever the fabric makes of it, and still does where no limit is meant. A bundle reports
        the sum of its members, as a bonded interface does.
        """
        os.mkdir(PRIVATE + "/speed")
        for kind, name, _, speed in self.order["nodes"]:
            if kind == "host":
                rate = self.order["dilation"] * self.order["rate"] * speed / self.order["base_speed"]
                rate *= self.order["members"].get(name, 1)
                with open(f"{PRIVATE}/speed/{name}", "w", encoding="ascii") as file:
                    most = 10000 if self.order["dilation"] == 1 else 10**6
                    file.write(f"{min(max(1, round(rate / 1e6)), most)}\n")

    # -- namespaces --

    @staticmethod
    def sysctl(name, value, needed=True):
        path = "/proc/sys/" + name.replace(".", "/")
        try:
            with open(path, "w", encoding="ascii") as file:
                file.write(value)
        except OSError as error:
            if needed:
                raise Unable(f"sysctl {name}={value}: {error.strerror}") from None

    def new_host(self, name):
        """The two namespaces of a host, kept alive by mounts under their names."""
        unshare(CLONE_NEWNET | CLONE_NEWUTS, "network and UTS")
        host = name.encode()
        syscall(f"naming host {name}", LIBC.sethostname(host, ctypes.c_size_t(len(host))))
        for kind, path in (("net", f"/run/netns/{name}"), ("uts", f"{PRIVATE}/uts/{name}")):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            mount(f"/proc/self/ns/{kind}", path, "", MS_BIND)
        self.no_ipv6()
        self.sysctl("net.ipv4.tcp_congestion_control", "reno")
        self.sysctl("net.ipv4.tcp_no_metrics_save", "1")

    def no_ipv6(self):
        if os.path.isdir("/proc/sys/net/ipv6"):
            self.sysctl("net.ipv6.conf.all.disable_ipv6", "1")
            self.sysctl("net.ipv6.conf.default.disable_ipv6", "1")

    def make_hosts(self):
        home = [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("net", "uts")]
        self.no_ipv6()
        for name in self.hosts:
            self.new_host(name)
        setns(home[0], CLONE_NEWNET, "network")
        setns(home[1], CLONE_NEWUTS, "UTS")
        for fd in home:
            os.close(fd)

    # -- links --

    @staticmethod
    def ip_batch(lines, *where):
        """Starts ip on a batch; its messages are read by ip_finish()."""
        process = subprocess.Popen(
            [find_program("ip", "iproute2"), *where, "-batch", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        process.stdin.write("\n".join(lines).encode() + b"\n")
        process.stdin.close()
        return process

    @staticmethod
    def ip_finish(process, what):
        said = process.stderr.read().decode(errors="replace").strip()
        process.stderr.close()
        if process.wait() != 0:
            raise Failure(f"{what}: ip reports: {said}")

    def make_cables(self):
        mtu = self.order["mtu"]
        lines = []
        for index, name in enumerate(self.hosts):
            lines.append(
                f"link add port{index} mtu {mtu} type veth "
                f"peer name eth0 mtu {mtu} address {hardware(index)} netns {name}"
            )
            lines.append(f"link set port{index} up arp off")
        self.ip_finish(self.ip_batch(lines), "virtual links")

    def configure_hosts(self):
        """Addresses of all hosts in all hosts: nobody has to ask for one (no ARP)."""
        waiting = []
        for index, name in enumerate(self.hosts):
            lines = [
                "link set lo up",
                f"addr add {address(index)}/16 dev eth0",
                "link set eth0 up",
            ]
            lines += [
                f"neigh add {address(other)} lladdr {hardware(other)} nud permanent dev eth0"
                for other in range(len(self.hosts))
                if other != index
            ]
            if self.order["dilation"] > 1:
                rto = min(MOST_RTO_MS, LEAST_RTO_MS * self.order["dilation"])
                lines.append(f"route change {SUBNET} dev eth0 src {address(index)} rto_min {rto}ms")
            waiting.append((self.ip_batch(lines, "-n", name), f"host {name}"))
            if len(waiting) >= 8:
                self.ip_finish(*waiting.pop(0))
        for process, what in waiting:
            self.ip_finish(process, what)

    def no_offloads(self):
        """Frames as they are on a wire: no super-packets, checksums filled in by the sender."""
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        for name in self.hosts:
            fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
            setns(fd, CLONE_NEWNET, "network")
            os.close(fd)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
                # ethtool's commands: scatter-gather last, as the others lean on it
                for command in (0x17, 0x1F, 0x24, 0x2C):
                    self.ethtool_off(device, command, name)
        setns(home, CLONE_NEWNET, "network")
        os.close(home)

    @staticmethod
    def ethtool_off(device, command, host):
        value = ctypes.create_string_buffer(struct.pack("II", command, 0))
        request = struct.pack("16sP16x", b"eth0", ctypes.addressof(value))
        try:
            fcntl.ioctl(device, 0x8946, request)  # SIOCETHTOOL
        except OSError as error:
            raise Failure(
                f"host {host}: offload 0x{command:x} cannot be switched off: {error.strerror}"
            ) from None

    # -- fabric --

    def start_kernel_fabric(self):
        order = self.order
        path = "/proc/sys/net/bridge/bridge-nf-call-iptables"
        self.ip_finish(self.ip_batch(bridge_lines(order)), "bridges as switches")
        if os.path.exists(path):
            self.sysctl("net.bridge.bridge-nf-call-iptables", "0", needed=False)
        set_buckets(kernel_links(order), "add")

    def start_fabric(self):
        order = self.order
        command = [
            order["fabric"], "--topology", order["topology"],
            "--control", os.path.join(self.state, "fabric.sock"),
            "--rate", str(order["rate"]), "--latency", str(order["latency"]),
            "--host-queue", str(order["host_queue"]),
            "--switch-queue", str(order["switch_queue"]),
            "--mtu", str(order["mtu"]),
            "--hash-seed", str(order["hash_seed"]),
            "--interrupt", str(order["interrupt"]),
            "--loss", str(order["loss"]), "--loss-seed", str(order["loss_seed"]),
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log
        )
        ready = process.stdout.readline()
        process.stdout.close()
        if ready != b"ready\n":
            process.wait()
            raise Failure("the fabric did not start: " + self.log_tail())
        self.fabric = process.pid

    def log_tail(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            lines = file.read().strip().split("\n")
        return lines[-1].split(": ", 1)[-1] or "it reported nothing"

    def note(self, text):
        self.log.write(f"keeper: {text}\n".encode())

    # -- life --

    def report(self, **message):
        if self.channel is not None:
            try:
                self.channel.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                pass

    def build(self):
        self.private_run()
        self.hosts_file()
        self.scripts()
        self.speeds()
        self.make_hosts()
        self.make_cables()
        if not self.order["offload"]:
            self.no_offloads()
        self.configure_hosts()
        if self.order["kind"] == "kernel":
            self.start_kernel_fabric()
            return
        self.start_fabric()

    def leave(self, code):
        """The end of the keeper, and so of everything. The state goes first."""
        shutil.rmtree(self.state, ignore_errors=True)
        try:
            os.rmdir(os.path.dirname(self.state))
        except OSError:
            pass
        os._exit(code)

    def reap(self):
        """Buries the dead; process 1 inherits orphans. Whether the fabric is among them."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.fabric:
                self.report(error=f"the fabric ended (status {status}): {self.log_tail()}")
                self.leave(EXIT_FAILED)

    def keep(self):
        """Until SIGTERM, or until whoever started `run` is gone."""
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self.leave(0))
        while True:
            self.reap()
            watched = [wake] + ([self.channel] if self.channel is not None else [])
            ready, _, _ = select.select(watched, [], [])
            if wake in ready:
                try:
                    os.read(wake, 4096)
                except BlockingIOError:
                    pass
            if self.channel in ready:
                word = self.channel.recv(64)
                if word == b"detach\n":
                    self.channel.close()
                    self.channel = None
                elif word == b"":
                    self.leave(0)

    def run(self):
        try:
            self.build()
            # Behind the fabric, whose files may be below it.
            mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
        except Failure as error:
            self.report(error=str(error), unable=isinstance(error, Unable))
            self.leave(EXIT_FAILED)
        except OSError as error:
            self.report(error=f"setting up: {error}")
            self.leave(EXIT_FAILED)
        self.report(ready=True)
        self.keep()


def keeper_main(fd, lock):
    """The keeper's start: `lock` is only held; the order comes over the channel."""
    os.set_inheritable(lock, False)
    channel = socket.socket(fileno=fd)
    channel.setblocking(True)
    os.set_inheritable(fd, False)
    channel.sendall(b"here\n")
    order = b""
    while not order.endswith(b"\n"):
        part = channel.recv(1 << 16)
        if not part:
            sys.exit(EXIT_FAILED)
        order += part
    null = os.open("/dev/null", os.O_RDWR)
    keeper = Keeper(channel, json.loads(order))
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    keeper.run()
