"""The commands, one function for each."""

import json
import os
import signal
import sys
import time

from pipebcast_sizes import in_natural_order, show_rate

from .bridges import kernel_links, set_buckets
from .changes import (
    Nodes,
    fabric_load,
    fabric_set,
    fabric_set_switch,
    names_switch,
    read_set,
    read_set_switch,
)
from .control import ask, do_now
from .counters import measure, reset_counters
from .failure import EXIT_FAILED, Failure, warn
from .flow import tcp_flow
from .inside import Program, inside, program_environment
from .mpi import find_mpirun, mpi_environment, start_mpirun, write_hostfile
from .script import read_script
from .starting import Testbed
from .states import DEFAULT_NAME, all_states, find_state
from .status import describe_network, show_status


def exit_on_signals():
    """What ends this process from outside ends it like a failure: what it has started is taken down."""

    def interrupted(number, _frame):
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, interrupted)


def command_run(options):
    exit_on_signals()
    mpirun = find_mpirun(options.mpirun, options.arguments)
    testbed = Testbed(options.name or f"run-{os.getpid()}", options)
    script = testbed.script()
    testbed.start()
    try:
        if script:
            script.check(testbed.state)
        program = start_mpirun(testbed.facts, mpirun, options.ppn, options.arguments)
        if script:
            script.play(testbed.state)
        code = program.wait(options.timeout)
        reason = testbed.last_words()
        if reason:
            warn(reason)
            code = EXIT_FAILED
        if options.status:
            show_status(testbed.state, testbed.facts, sys.stderr)
        return code
    finally:
        testbed.stop()


def command_up(options):
    exit_on_signals()
    began = time.monotonic()
    testbed = Testbed(options.name or DEFAULT_NAME, options)
    script = testbed.script()
    testbed.start()
    if script:
        try:
            script.play(testbed.state)
        except BaseException:
            testbed.stop()
            raise
    testbed.detach()
    testbed.process.returncode = 0  # it is to go on without us
    print(
        f"testbed '{testbed.state.name}' is up: {describe_network(testbed.facts)} "
        f"({time.monotonic() - began:.2f} s)"
    )
    return 0


def command_down(options):
    states = all_states() if options.all else [find_state(options.name)[0]]
    for state in states:
        facts = state.load()
        if facts is None:
            continue
        number = signal.SIGTERM
        end = time.monotonic() + 5
        while state.alive():
            try:
                os.kill(facts["keeper"], number)
            except ProcessLookupError:
                if not state.alive():
                    break
                raise Failure(f"the testbed '{state.name}' cannot be ended from a testbed's own host: leave it first") from None
            except PermissionError:
                raise Failure(f"the testbed '{state.name}' belongs to someone else") from None
            time.sleep(0.02)
            if time.monotonic() > end:
                number = signal.SIGKILL
        state.remove()
        print(f"testbed '{state.name}' is down")
    return 0


def command_mpirun(options):
    state, facts = find_state(options.name)
    ppn = options.ppn or facts["ppn"]
    mpirun = find_mpirun(options.mpirun, options.arguments)
    if options.script is None:
        return start_mpirun(facts, mpirun, ppn, options.arguments).wait(options.timeout)
    script = read_script(options.script, facts)
    script.check(state)
    program = start_mpirun(facts, mpirun, ppn, options.arguments)
    try:
        script.play(state)
        return program.wait(options.timeout)
    finally:
        ask(state, "stop")


def command_play(options):
    state, facts = find_state(options.name)
    if (options.file is None) != options.stop:
        raise Failure("play what? Give either FILE or --stop")
    if options.stop:
        ask(state, "stop")
        return 0
    read_script(options.file, facts).play(state)
    return 0


def command_load(options):
    state, facts = find_state(options.name)
    if facts["kind"] == "kernel":
        raise Failure("the kernel's fabric makes no load")
    do_now(state, fabric_load(Nodes(facts["nodes"]), options.words, facts["mtu"]))
    return 0


def check_host(facts, host):
    if host not in facts["hosts"]:
        raise Failure(
            f"no host '{host}' in testbed '{facts['name']}': it has "
            f"{facts['hosts'][0]} .. {facts['hosts'][-1]} ({len(facts['hosts'])})"
        )


def command_exec(options):
    _, facts = find_state(options.name)
    check_host(facts, options.host)
    if not options.arguments:
        raise Failure("run needs a program: write the program and its arguments after --")
    env = program_environment(facts)
    return Program(facts, options.host, options.arguments, env).wait(options.timeout)


def command_tcp(options):
    exit_on_signals()
    state, facts = find_state(options.name)
    for host in (options.sender, options.receiver):
        check_host(facts, host)
    if options.sender == options.receiver:
        raise Failure(f"both ends are '{options.sender}'")
    marks = tcp_flow(options.installed, state, facts, (options.sender, options.receiver),
                     options.time / 1e9, options.size)  # fmt: skip
    seconds, size = marks[-1][0] - marks[0][0], marks[-1][1]
    flow = {"from": options.sender, "to": options.receiver, "bytes": size,
            "seconds": seconds, "rate": 8 * size / seconds}  # fmt: skip
    if options.json:
        json.dump({**flow, "marks": marks}, sys.stdout)
        print()
    else:
        print(f"tcp {options.sender} {options.receiver}: {flow['bytes']} bytes in {seconds:.3f} s, "
              f"{show_rate(round(flow['rate']))}")  # fmt: skip
    return 0


def command_shell(options):
    _, facts = find_state(options.name)
    host = options.host or in_natural_order(facts["hosts"])[0]
    check_host(facts, host)
    shell = os.environ.get("SHELL") or "/bin/sh"
    ppn = facts["ppn"]
    return Program(
        facts,
        host,
        [shell],
        mpi_environment(facts, ppn, "mpirun"),
        prepare=lambda: write_hostfile(facts, ppn),
        own_group=True,
    ).wait()


def command_status(options):
    state, facts = find_state(options.name)
    if options.json:
        own, links = measure(state, facts)
        json.dump({"testbed": facts, "fabric": own, "links": links}, sys.stdout, indent=1)
        print()
    elif not options.reset:
        show_status(state, facts, sys.stdout)
    if options.reset:
        reset_counters(state, facts)
    return 0


def change_bucket(state, facts, pair, values):
    """Gives a link's token bucket its new rate and queue. The testbed's facts have them then."""
    for link in kernel_links(facts):
        if (link.sender, link.receiver) != pair:
            continue
        link.rate = values.get("rate", link.rate)
        link.limit = values.get("queue", link.limit)
        inside(facts, lambda: set_buckets([link], "change"))
        facts.setdefault("buckets", {})[f"{link.sender} {link.device}"] = (link.rate, link.limit)
        state.save(facts)


def command_set(options):
    state, facts = find_state(options.name)
    nodes = Nodes(facts["nodes"])
    kernel = facts["kind"] == "kernel"
    if names_switch(nodes, options.words):
        if kernel:
            raise Failure("the kernel's fabric knows no multicast")
        do_now(state, [fabric_set_switch(*read_set_switch(nodes, options.words))])
        return 0
    pairs, values = read_set(nodes, options.words)
    for key in ("latency", "loss", "member"):
        if kernel and key in values:
            raise Failure(f"the kernel's fabric knows no {key}")
    if not kernel:
        do_now(state, fabric_set(pairs, values))
        return 0
    for pair in pairs:
        change_bucket(state, facts, pair, values)
    return 0


def command_list(_options):
    for state in all_states():
        facts = state.load()
        if facts:
            print(f"{state.name}: {describe_network(facts)}")
    return 0
