#!/usr/bin/env python3
"""Floods groups of multicast of a test's processes, over the loopback interface.

flood.py DIRECTORY [--forge]: those of processes with the test's directory in their environment.

Waits for sockets that are bound to a group of pipebcast's, joins these groups, and sends to them
until it is ended: rubbish of any length, frames as another job would have them (another key),
frames of this job once more, and frames of this job cut short. With --forge also frames of other
bytes for this job's next broadcasts, which only a checksum finds.
"""

import glob
import os
import random
import socket
import struct
import sys
import time

HEADER = 24
KEY = slice(4, 12)
NUMBER = slice(12, 20)
INDEX = slice(20, 24)
LAST = 100  # frames that are kept


def own_sockets():
    """The inodes of all sockets of the test's processes."""
    found = set()
    for process in glob.glob("/proc/[0-9]*"):
        try:
            with open(f"{process}/environ", "rb") as environment:
                if os.fsencode(sys.argv[1]) in environment.read():
                    found |= {os.readlink(name) for name in glob.glob(f"{process}/fd/*")}
        except OSError:
            pass  # it has ended
    return {name[len("socket:["):-1] for name in found if name.startswith("socket:[")}


def groups():
    """(address, port) of the groups in which the test's processes listen."""
    found, own = set(), own_sockets()
    with open("/proc/net/udp", encoding="ascii") as lines:
        for line in list(lines)[1:]:
            words = line.split()
            address, port = words[1].split(":")
            dotted = socket.inet_ntoa(struct.pack("=I", int(address, 16)))
            if dotted.startswith("239.19") and words[9] in own:
                found.add((dotted, int(port, 16)))
    return found


LOOPBACK = struct.pack("=4s4si", b"\0" * 4, b"\0" * 4, socket.if_nametoindex("lo"))


def listener(group):
    """A socket that hears what goes to a group, on the loopback interface."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(group)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    socket.inet_aton(group[0]) + LOOPBACK[4:])
    sock.setblocking(False)
    return sock


def speaker():
    """A socket from which datagrams go there."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, LOOPBACK)
    sock.bind(("", 0))
    return sock


def spoiled(frames):
    """A datagram made of one of this job's frames, that must not change anything."""
    bad = bytearray(random.choice(frames))
    kind = random.randrange(3)
    if kind == 0:
        bad[KEY] = random.randbytes(8)
    elif kind == 1:
        del bad[random.randrange(len(bad)):]
    return bytes(bad)


def forged(frames):
    """A frame of one of the next broadcasts, such as the longest of this job, of other bytes."""
    bad = bytearray(max(frames, key=len))
    newest = max(int.from_bytes(frame[NUMBER], "little") for frame in frames)
    bad[NUMBER] = (newest + random.randrange(3)).to_bytes(8, "little")
    bad[INDEX] = random.randrange(8).to_bytes(4, "little")
    bad[-1000:] = random.randbytes(len(bad[-1000:]))
    return bytes(bad)


def hear(sock, frames, own_port):
    """Keeps what the job sends."""
    try:
        for _ in range(50):
            frame, (_, port) = sock.recvfrom(65536)
            if len(frame) > HEADER and port != own_port:
                frames.append(frame)
                del frames[:-LAST]
    except BlockingIOError:
        pass


def main():
    forge = "--forge" in sys.argv[1:]
    sockets, frames = {}, {}
    out = speaker()
    random.seed(1)
    while True:
        for group in groups() - set(sockets):
            sockets[group] = listener(group)
            frames[group] = []
        for group, sock in sockets.items():
            for _ in range(10):
                hear(sock, frames[group], out.getsockname()[1])
                out.sendto(random.randbytes(random.randrange(1500)), group)
                if frames[group]:
                    out.sendto(spoiled(frames[group]), group)
                if frames[group] and forge:
                    out.sendto(forged(frames[group]), group)
        time.sleep(0.001)


main()
