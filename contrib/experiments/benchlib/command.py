"""What the drivers' command lines have in common, and running under signals."""

import datetime
import os
import signal
import sys

from .programs import BENCH, TESTBED, component_path, need_program
from .units import UserError


def say_error(error):
    print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)


def add_measuring_options(group, runs=3, runs_text="%(default)s"):
    group.add_argument("--runs", type=int, default=runs,
                       help=f"rounds over all methods [{runs_text}]")
    group.add_argument("--iterations", type=int, default=10, help="in each run [%(default)s]")
    group.add_argument("--warmup", type=int, metavar="N", help="broadcasts before them [more for small "
                       "sizes]")
    group.add_argument("--time-limit", type=float, default=10, metavar="S",
                       help="for each size of a run; slower methods get fewer iterations "
                       "[%(default)s]")
    group.add_argument("--patience", type=float, default=60, metavar="S",
                       help="stop a run that takes so much longer, for each size [%(default)s]")
    group.add_argument("--no-check", dest="check", action="store_false",
                       help="do not verify every byte")
    group.add_argument("--mpirun-arg", action="append", default=[], metavar="ARG",
                       help="more for mpirun (may be repeated: --mpirun-arg=-x --mpirun-arg=NAME)")
    group.add_argument("--up-arg", action="append", default=[], metavar="ARG",
                       help="more for 'testbed up' (may be repeated)")
    group.add_argument("--plugin-dir", metavar="DIR",
                       help="where mca_coll_pipebcast.so is, if it is not installed (a build "
                       "directory's ompi_coll_pipebcast)")
    group.add_argument("--bench", help="pipebcast-bench [beside this program, or in PATH]")
    group.add_argument("--testbed", help="the testbed's command [likewise]")


def check_measuring_options(options, counts=()):
    """What argparse cannot check. counts: names of more options that are 1 or more, if given."""
    for name in ("runs", "iterations", "warmup", *counts):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise UserError(f"--{name}: {value} is not 1 or more")
    if not options.time_limit > 0 or not options.patience > 0:
        raise UserError("--time-limit and --patience are seconds above 0")


def find_programs(options):
    """Completes --bench, --testbed and --plugin-dir."""
    options.bench = need_program(options.bench, BENCH, "--bench")
    if options.plugin_dir is not None:
        options.mpirun_arg = component_path(options.plugin_dir) + options.mpirun_arg
    options.testbed = need_program(options.testbed, TESTBED, "--testbed")


def dated_directory(name):
    return datetime.datetime.now().strftime(f"{name}-%Y%m%d-%H%M%S")


def now_text():
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")


def measure_at(place, function):
    """
    Calls a function while a place is up. Yields whether it was interrupted; a terminated driver
    clears up as an interrupted one does.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, signal.default_int_handler)
    interrupted = False
    try:
        place.up()
        function()
    except KeyboardInterrupt:
        interrupted = True
    finally:
        ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.signal(number, signal.SIG_IGN) for number in ends]  # nothing may stop the clearing up
        place.down()
        for number, handler in zip(ends, before):
            signal.signal(number, handler)
    return interrupted
