"""The kernel's interface: namespaces and mounts, and the programs that set them up."""

import ctypes
import os
import shutil

from .failure import Failure, Unable

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWUSER = 0x00020000, 0x04000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC = 2, 4, 0x1000, 0x4000
PR_SET_PDEATHSIG = 1


def syscall(what, result):
    if result != 0:
        error = ctypes.get_errno()
        raise Failure(f"{what}: {os.strerror(error)}")


def setns(fd, kind, what):
    syscall(f"joining the {what} namespace", LIBC.setns(fd, kind))


def unshare(kind, what):
    syscall(f"making a {what} namespace", LIBC.unshare(kind))


def mount(source, target, fstype, flags, data=""):
    syscall(
        f"mounting {fstype or source} on {target}",
        LIBC.mount(
            source.encode(), target.encode(), fstype.encode(), ctypes.c_ulong(flags), data.encode()
        ),
    )


def die_with_parent(number):
    LIBC.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number), 0, 0, 0)


def find_program(name, package):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise Unable(f"the program '{name}' is missing: install {package}")
    return path
