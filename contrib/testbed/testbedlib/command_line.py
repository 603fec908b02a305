"""The command line."""

import argparse
import os
import re
import sys

from .commands import (
    command_down,
    command_exec,
    command_list,
    command_load,
    command_mpirun,
    command_play,
    command_run,
    command_set,
    command_shell,
    command_status,
    command_tcp,
    command_up,
)
from .failure import EXIT_FAILED, TOOL, Failure, warn
from .keeper import keeper_main
from .quantities import (
    count_type,
    dilation_type,
    flow_time_type,
    index_type,
    loss_type,
    mtu_type,
    name_type,
    rate_type,
    seconds_type,
    size_type,
    time_type,
)
from .states import DEFAULT_NAME

DESCRIPTION = """\
An emulated Ethernet cluster on one computer. Every host of a topology file becomes one
with its own name, address and network; a program plays the links and switches between them,
with their rates, latencies and queues; mpirun runs on these hosts as on a cluster.
"""

EPILOG = """\
examples:
  testbed run --topology topology5.conf -- ./my_mpi_program
  testbed run --topology topology3.conf --rate 3mbit --ppn 2 -- -np 16 --mca coll pipebcast,tuned ./a.out

  testbed up --topology topology4.conf       # a cluster that stands until 'down'
  testbed mpirun -- -np 32 ./my_mpi_program
  testbed exec n3 -- ping -c 3 n17
  testbed status                             # bytes, drops and queue peaks of every link
  testbed shell n5
  testbed set s0-s1 rate=3mbit latency=5ms
  testbed load n1 n20 5mbit 3s
  testbed tcp n1 n20 10s                     # a TCP flow, and the rate that it gets
  testbed down

a script describes what happens to the network, and when; lines without 'at' count as 'at 0s':
  set s0-s1 latency=5ms rate=3mbit          # both ways of a link
  set s0 s1 queue=64k                       # one way
  set s1 s0 loss=1%                         # a faulty port of s1: drops frames by chance
  at 1s set s1 multicast=off                # a switch that drops multicast from then on
  set s1-s0 member=0 rate=1mbit             # one of parallel links
  at 2.5s set s0-s1 rate=1mbit
  at 4s load n1 n20 5mbit 3s                # for three seconds, frames at even distances
  at 4s load s2-s3 2mbit 500ms              # both ways
'up', 'run' and 'mpirun' play it with --script, 'play' at any moment. A program on a host may call
'testbed play FILE' too: so one rank begins it when all are ready.

Two cores cannot move what 32 hosts send at 100 Mbit/s, but they can at 10 or 3 Mbit/s. Such a slow
network alone has hosts that cost nothing. For fast networks give --dilation, which slows hosts alike:
  testbed up --topology topology5.conf --speed 10gbit --dilation 1000
Ranks then sleep for what a real host's processor would take, and measure the fast network's times.
'set', 'load' and scripts name the slowed rates and times. Dilated are: links, latencies, interrupts,
costs, the ranks' monotonic clock, TCP's least retransmission time (at most 20 s). Not dilated are
delayed acknowledgements (40 ms), relative sleeps and mpirun; initial windows need not be.
'status' reports how late the fabric was: where that is not small against the times measured, take a
lower rate or a higher dilation.

It needs Linux with network namespaces, iproute2 and util-linux; root, or user namespaces. It
leaves nothing behind and changes no file of the computer. It exits with mpirun's own code,
124 after --timeout, 125 if the testbed itself failed, 126 if this computer lacks something.
"""


def add_network_options(parser):
    group = parser.add_argument_group("network")
    group.add_argument("--topology", required=True, metavar="FILE",
                       help="Slurm topology.conf: switches, and the hosts on them")  # fmt: skip
    group.add_argument("--rate", "--speed", type=rate_type, default=10**7, metavar="RATE",
                       help="of a link of the file's lowest LinkSpeed; one of twice that speed has "
                       "twice the rate (10mbit)")  # fmt: skip
    group.add_argument("--dilation", type=dilation_type, default=1, metavar="D",
                       help="slow everything D times: links, latencies and what the hosts' processors "
                       "take; ranks see a clock that goes D times as slowly. Rates and times of the "
                       "options are those of the fast network that is shown (1: nothing)")  # fmt: skip
    group.add_argument("--host", metavar="FILE",
                       help="with --dilation: what messages cost a host, as pipebcast-profile --host "
                       "writes it (host-virtual.conf)")  # fmt: skip
    group.add_argument("--latency", type=time_type, default=5000, metavar="TIME",
                       help="of each link, one way (5us)")  # fmt: skip
    group.add_argument("--host-queue", type=size_type, default=64 << 20, metavar="SIZE",
                       help="bytes that may wait at a host's own port; a real host holds senders up "
                       "there and loses nothing, so this is long (64m)")  # fmt: skip
    group.add_argument("--switch-queue", type=size_type, default=131072, metavar="SIZE",
                       help="bytes that may wait at each port of a switch (128k)")  # fmt: skip
    group.add_argument("--hash-seed", type=index_type, default=1, metavar="N",
                       help="of the hash by which each connection takes one of parallel links: a "
                       "member of a bundle, or the way over one of several spines (1)")  # fmt: skip
    group.add_argument("--fabric", choices=("user", "kernel"), default="user",
                       help="what plays links and switches: our own program, which is exact, or "
                       "Linux bridges and token buckets, as a cross-check (user)")  # fmt: skip
    group.add_argument("--offload", action="store_true",
                       help="with --fabric kernel: hosts hand over many frames as one, as real "
                       "interfaces take them; a switch then costs them less")  # fmt: skip
    group.add_argument("--mtu", type=mtu_type, default=1500, metavar="BYTES",
                       help="payload of the largest frame (1500)")  # fmt: skip
    group.add_argument("--loss", type=loss_type, default=0, metavar="PERCENT",
                       help="each switch's port to a host drops this share of the frames, by chance; "
                       "'set' does so for any link (0%%)")  # fmt: skip
    group.add_argument("--loss-seed", type=index_type, default=1, metavar="N",
                       help="of the frames that are lost by chance: the same ones for each seed, if "
                       "hosts send the same (1)")  # fmt: skip
    group.add_argument("--no-multicast", type=str, action="append", default=[], metavar="SWITCH",
                       help="this switch drops all multicast frames, but not broadcasts; can be given "
                       "several times, and changed by 'set SWITCH multicast=on'")  # fmt: skip
    group.add_argument("--idle", choices=("sleep", "spin"), default="sleep",
                       help="what ranks do that wait: sleep until something comes from the network, "
                       "as if each host had its own processor, or spin, and disturb the others "
                       "(sleep)")  # fmt: skip
    group.add_argument("--rootless", action="store_true",
                       help="use a user namespace even as root")  # fmt: skip


def add_ppn(parser, default):
    parser.add_argument("--ppn", type=count_type, default=default, metavar="N",
                        help="slots, that is ranks, per host (1)")  # fmt: skip


def add_mpi_options(parser):
    parser.add_argument("--mpirun", default="mpirun", metavar="PATH",
                        help="the mpirun to use (the one of PATH)")  # fmt: skip


def add_script(parser, text):
    parser.add_argument("--script", metavar="FILE", help=text)


def add_timeout(parser):
    parser.add_argument("--timeout", type=seconds_type, metavar="SECONDS",
                        help="end the program after this time, with exit code 124")  # fmt: skip


def add_name(parser, text):
    parser.add_argument("--name", type=name_type, metavar="NAME", help=text)


def build_parser(installed):
    parser = argparse.ArgumentParser(
        prog=TOOL, description=DESCRIPTION, epilog=re.sub(r"(  |')testbed ", rf"\1{TOOL} ", EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--version", action="version", version=f"{TOOL} {installed.version}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    which = "the testbed (not needed if there is only one)"

    def add(name, function, summary, usage=None):
        command = commands.add_parser(name, help=summary, description=summary, usage=usage)
        command.set_defaults(function=function)
        return command

    run = add("run", command_run, "make a cluster, run mpirun on it, take it down",
              f"{TOOL} run --topology FILE [OPTION]... -- [MPIRUN-ARGUMENT]... PROGRAM...")  # fmt: skip
    add_network_options(run)
    add_ppn(run, 1)
    add_mpi_options(run)
    add_timeout(run)
    add_name(run, "by which other commands find it while it runs")
    add_script(run, "changes and loads of the network; its time begins when mpirun starts")
    run.add_argument("--status", action="store_true",
                     help="print what every link carried when the program has ended")  # fmt: skip

    up = add("up", command_up, "make a cluster that stands until 'down'")
    add_network_options(up)
    add_ppn(up, 1)
    add_script(up, "settings of links, and loads; its time begins when the cluster is up")
    add_name(up, f"what to call it ({DEFAULT_NAME})")

    mpirun = add("mpirun", command_mpirun, "run mpirun in a standing testbed",
                 f"{TOOL} mpirun [OPTION]... -- [MPIRUN-ARGUMENT]... PROGRAM...")  # fmt: skip
    add_name(mpirun, which)
    add_ppn(mpirun, None)
    add_script(mpirun, "changes and loads of the network; its time begins when mpirun starts, and loads "
               "end with it, but links stay as they are then")  # fmt: skip
    add_mpi_options(mpirun)
    add_timeout(mpirun)

    execute = add("exec", command_exec, "run a program on one host",
                  f"{TOOL} exec [OPTION]... HOST -- PROGRAM...")  # fmt: skip
    execute.add_argument("host", metavar="HOST")
    add_name(execute, which)
    add_timeout(execute)

    shell = add("shell", command_shell, "a shell on a host (the first), where mpirun works too")
    shell.add_argument("host", nargs="?", metavar="HOST")
    add_name(shell, which)

    status = add("status", command_status, "what every directed link did, and the fabric itself")
    add_name(status, which)
    status.add_argument("--json", action="store_true", help="for programs")
    status.add_argument("--reset", action="store_true",
                        help="set all counters to zero (with --json: after printing them)")  # fmt: skip

    change = add("set", command_set, "change a link, while programs run",
                 f"{TOOL} set [--name NAME] LINK [member=N] [rate=RATE] [latency=TIME] [queue=SIZE] "
                 f"[loss=PERCENT]\n       {TOOL} set [--name NAME] SWITCH multicast=on|off")  # fmt: skip
    change.add_argument("words", nargs="+", metavar="LINK KEY=VALUE",
                        help="A-B is both ways of a link, A B the way from A to B alone, as 'status' "
                        "names them; member=N: one of parallel links, else all are changed. "
                        "multicast=off: the switch drops all multicast frames")  # fmt: skip
    add_name(change, which)

    load = add("load", command_load, "put synthetic traffic on a path: it occupies links and queues "
               "like links of hosts, and costs no host anything",
               f"{TOOL} load [--name NAME] A B RATE TIME [frame=BYTES]")  # fmt: skip
    load.add_argument("words", nargs="+", metavar="A B RATE TIME",
                      help="from host or switch A to B; A-B is both ways. RATE counts all that is on the "
                      "wire; what a queue cannot hold is lost")  # fmt: skip
    add_name(load, which)

    tcp = add("tcp", command_tcp, "send from one host to another by TCP for a time, while something "
              "else runs, and report the rate at which the data came",
              f"{TOOL} tcp [--name NAME] [--size BYTES] [--json] FROM TO TIME")  # fmt: skip
    tcp.add_argument("sender", metavar="FROM")
    tcp.add_argument("receiver", metavar="TO")
    tcp.add_argument("time", type=flow_time_type, metavar="TIME",
                     help="from when it is connected; the connection is then reset")  # fmt: skip
    tcp.add_argument("--size", type=size_type, default=0, metavar="SIZE",
                     help="end earlier, when this much has come")  # fmt: skip
    tcp.add_argument("--json", action="store_true",
                     help="for programs, with the times at which how much had come, on the clock "
                     "CLOCK_MONOTONIC that all hosts share")  # fmt: skip
    add_name(tcp, which)

    play = add("play", command_play, "play a script of changes and loads, now",
               f"{TOOL} play [--name NAME] FILE | --stop")  # fmt: skip
    play.add_argument("file", nargs="?", metavar="FILE", help=f"see '{TOOL} --help'")
    play.add_argument("--stop", action="store_true",
                      help="end all loads and forget the steps to come; links stay as they are")  # fmt: skip
    add_name(play, which)

    add("list", command_list, "the testbeds that are up")

    down = add("down", command_down, "take a testbed down")
    add_name(down, which)
    down.add_argument("--all", action="store_true", help="all testbeds of this user")
    return parser


def split_arguments(argv):
    """The tool's own arguments, and those behind the first -- for the program."""
    if "--" in argv:
        at = argv.index("--")
        return argv[:at], argv[at + 1 :]
    return argv, []


def obey(installed):
    if sys.argv[1:2] == ["__keep"]:
        return keeper_main(int(sys.argv[2]), int(sys.argv[3]))
    own, rest = split_arguments(sys.argv[1:])
    options = build_parser(installed).parse_args(own)
    options.installed, options.arguments = installed, rest
    if rest and options.command not in ("run", "mpirun", "exec"):
        raise Failure(f"'{options.command}' runs no program: leave out what follows --")
    return options.function(options)


def main(installed):
    """The program: what it exits with."""
    try:
        return obey(installed)
    except Failure as failure:
        warn(failure)
        return failure.code
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_FAILED
