"""Ours: the emulated cluster with 64, 128 and 256 hosts, and with many ranks on a host, beside the simulator."""

import argparse
import json
import os
import random
import statistics
import subprocess
import time

from ..claims import Claim, judge
from ..command import chosen_topologies, measure_at, now_text
from ..conclusion import conclude
from ..experiment import PIPEBCAST_SETTINGS, kinds_of
from ..links import payload_of_frame, segment_of_frames
from ..methods import BY_TREES, Method
from ..places import Testbed, counted_doubts
from ..programs import TOPO, need_program
from ..progress import Progress
from ..report import describe_host, outcome_record, write_rows, write_text
from ..run import run_once
from ..units import UserError, bytes_text, parse_sizes

MTU = 1500
SEGMENT = segment_of_frames(MTU, 1)
PER_SWITCH = 8
SIZES = parse_sizes("8K,64K,256K")
KINDS = ["twotree", "chain", "binary", "kary", "binomial"]
LEAVES, RANDOM = "leaves", "random"
# Networks by name: shape, hosts, ranks on each.
NETWORKS = {**{f"{shape}-{n}": (shape, n, 1) for n in (64, 128, 256) for shape in (LEAVES, RANDOM)},
            "ranks-16x8": (LEAVES, 16, 8), "ranks-8x16": (LEAVES, 8, 16)}
USUAL = ["leaves-64", "random-64"]
PREDICTED = "simulator"
FIELDS = ["network", "hosts", "ranks", "up_s", "method", "bytes", "round", "pingpong_us", "time_us",
          "ratio", "predicted", "iterations", "drops", "load"]


def leaves_text(n_hosts):
    """Leaves of PER_SWITCH hosts below a spine."""
    n = max(2, n_hosts // PER_SWITCH)
    each = n_hosts // n
    return "".join(f"SwitchName=s{i} Nodes=n[{i * each}-{(i + 1) * each - 1}]\n" for i in range(n)) \
        + f"SwitchName=top Switches=s[0-{n - 1}]\n"


def random_text(n_hosts):
    """Switches each joined to a random one before it; hosts on random ones, the first two on one."""
    chance = random.Random(n_hosts)
    n = n_hosts // PER_SWITCH
    below = {i: [] for i in range(n)}
    for i in range(1, n):
        below[chance.randrange(i)].append(f"s{i}")
    # Each switch has a host, or it would be no switch of a job's.
    at = [0, 0, *range(1, n), *(chance.randrange(n) for _ in range(n_hosts - n - 1))]
    out = []
    for i in reversed(range(n)):
        nodes = ",".join(f"n{host}" for host in range(n_hosts) if at[host] == i)
        switches = f" Switches={','.join(below[i])}" if below[i] else ""
        out.append(f"SwitchName=s{i} Nodes={nodes}{switches}\n")
    return "".join(out)


def topology_of(network):
    shape, n_hosts, _ = NETWORKS[network]
    return leaves_text(n_hosts) if shape == LEAVES else random_text(n_hosts)


def predicted_ratios(program, path, kinds, size, ranks_per_host):
    """
    {kind: completion over T(M)} by the simulator, which counts times of a frame on a link and has
    neither acknowledgements nor hosts' costs. A message of n frames is at the other host of a switch
    after n + 1. None where hosts have several ranks, which T(M) does not have.
    """
    if ranks_per_host > 1:
        return {}
    n_frames = -(-size // payload_of_frame(MTU))
    command = [program, "simulate", path, "--algorithm", ",".join(kinds), "--segment-counts",
               str(-(-size // SEGMENT)), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise UserError(f"{program} simulate failed: {done.stderr.strip()}")
    return {run["algorithm"]: run["time"] / (n_frames + 1) for run in json.loads(done.stdout)["runs"]}


class Measured:
    """Rows of FIELDS, written as they come, and the outcomes that they are of."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.outcomes = []  # (network, outcome)
        self.up_s = {}  # by network

    def add(self, network, method, number, outcome, predicted):
        """predicted: {size: ratio}."""
        self.outcomes.append((network, outcome))
        _, n_hosts, each = NETWORKS[network]
        for row in outcome.rows:
            size = int(row["bytes"])
            self.rows.append(dict(zip(FIELDS, [
                network, n_hosts, n_hosts * each, round(self.up_s[network], 1), method.name, size, number,
                float(row["pingpong_us"]), float(row["sync_median_us"]), float(row["sync_ratio"]),
                predicted.get(size), int(float(row["sync_iterations"])),
                (outcome.counters or {}).get("drops", 0), round(os.getloadavg()[0], 1)])))
        write_rows(self.path, self.rows, FIELDS)

    def points(self):
        """("network method", size) of all that was measured."""
        return list(dict.fromkeys((f"{row['network']} {row['method']}", row["bytes"])
                                  for row in self.rows))

    def ratio(self, line, name, size):
        """The median over the rounds of what was measured, or what was predicted."""
        field = "predicted" if name == PREDICTED else "ratio"
        found = [row[field] for row in self.rows if row[field] is not None
                 and (f"{row['network']} {row['method']}", row["bytes"]) == (line, size)]
        return statistics.median(found) if found else None

    def failures(self):
        return [f"FAILED: {network}: {outcome.failure}" for network, outcome in self.outcomes
                if outcome.failure]

    def doubts(self):
        return [line for network in self.up_s for line in counted_doubts(
            network, [outcome for of, outcome in self.outcomes if of == network])]


def table(measured):
    out = [f"{'network':<12} {'up s':>5} {'method':<24} {'bytes':>6} {'/ T(M)':>7} {'simulator':>9} "
           f"{'off':>7}"]
    for line, size in measured.points():
        network, method = line.split(" ")
        ratio, predicted = (measured.ratio(line, name, size) for name in ("measured", PREDICTED))
        off = "-" if not predicted else f"{100 * (ratio / predicted - 1):+.1f} %"
        out.append(f"{network:<12} {measured.up_s[network]:>5.1f} {method:<24} {bytes_text(size):>6} "
                   f"{ratio:>7.3f} {'-' if not predicted else format(predicted, '.3f'):>9} {off:>7}")
    return out + ["", "up: seconds until the cluster stood; simulator: without acknowledgements "
                  "and what hosts cost.", *measured.doubts()]


class Hosts:
    """A testbed for each network; on it all kinds of tree in turn, in each round."""

    name = "hosts"
    figure = "no figure: ours"
    shows = ("64, 128 and 256 emulated hosts behind leaves and a spine and on random trees of switches, "
             "one rank on each, and 16 x 8 and 8 x 16 ranks: ratios to T(M) of each kind of tree "
             "beside the simulator's.")
    claims = [Claim("measured ratios are within 5 % of the simulator's, from 64 KB on", "measured", PREDICTED,
                    low=0.95, high=1.05, sizes=(64 << 10, None), said="ours")]
    MOST_UP_S = 60

    def run(self, options, directory):
        """Yields the exit status."""
        networks = chosen_topologies(options.topologies, NETWORKS, USUAL)
        begun = now_text()
        os.makedirs(directory, exist_ok=True)
        measured = Measured(os.path.join(directory, "results.csv"))
        interrupted = any(self._measure(options, directory, network, measured) for network in networks)
        verdicts = [judge(claim, measured.points(), measured.ratio) for claim in self.claims]
        late = [f"FAILED: {network} stood after {up_s:.0f} s, more than {self.MOST_UP_S}"
                for network, up_s in measured.up_s.items() if up_s > self.MOST_UP_S]
        return conclude(self, directory, table(measured), verdicts,
                        {"begun": begun, "machine": describe_host(), "rows": measured.rows, "up_s": measured.up_s,
                         "runs": [{"network": network, **outcome_record(outcome)}
                                  for network, outcome in measured.outcomes]},
                        measured.failures() + late, interrupted)

    @staticmethod
    def _measure(options, directory, network, measured):
        """Yields whether it was interrupted."""
        path = write_text(directory, f"{network}.conf", topology_of(network))
        each = NETWORKS[network][2]
        kinds, sizes = kinds_of(options, KINDS), options.only_sizes or SIZES
        topo = need_program(options.topo, TOPO, "--topo")
        predicted = {size: predicted_ratios(topo, path, kinds, size, each) for size in sizes}
        # Ranks go to hosts one host after the other, so the pair is on two hosts of one switch.
        own = argparse.Namespace(**{**vars(options), "pingpong": f"0,{each}", "up_arg": [
            *options.up_arg, *(["--ppn", str(each)] if each > 1 else [])]})
        place = Testbed(own, path)
        progress = Progress([kind for _ in range(options.runs) for kind in kinds])
        begun = time.monotonic()

        def measure():
            measured.up_s[network] = time.monotonic() - begun
            place.status("--reset")
            for number in range(1, options.runs + 1):
                for kind in kinds:
                    method = Method(f"pipebcast:{kind}:{SEGMENT}", {**PIPEBCAST_SETTINGS, **BY_TREES})
                    progress.start(f"{network}, round {number} of {options.runs}")
                    outcome = run_once(place, method, sizes, own, progress.row)
                    measured.add(network, method, number, outcome,
                                 {size: predicted[size].get(kind) for size in sizes})
                    progress.end(outcome)

        return measure_at(place, measure)


HOSTS = Hosts()
