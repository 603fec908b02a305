"""Ours: whether the dilated testbed is what its costs say, by a simulation that has nothing but them."""

import os

from testbedlib.host import read_host

from .. import samples as sample_files
from ..claims import Claim
from ..experiment import COMPUTED, NetworkView
from ..methods import Method, PIPEBCAST_WAYS
from ..samples import each_cell
from ..simulation import Broadcast, Network
from ..topo import ask, planned_streams
from ..units import parse_rate

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "..")
MEASURED_IN = ("dilation", "speeds")
KINDS = ("chain", "binary", "kary", "twotree")
SIMULATED, MEASURED = "simulated", "measured"


def is_ours(sample):
    component, _, kind = sample["method"].partition(":")
    return component == "pipebcast" and kind in KINDS and sample["segment"] > 0


def cells(samples):
    """Nanoseconds of all broadcasts, by what was broadcast how and where, and by dilation."""
    found = {}
    for experiment in MEASURED_IN:
        of_trees = [sample for sample in samples.get(experiment, []) if is_ours(sample)]
        for network, speed, dilation, method, size, segment, times in each_cell(of_trees):
            found.setdefault((network, speed, method, segment, size), {}).setdefault(dilation, []).extend(times)
    return found


def broadcast_of(session, network, kind):
    path = session.topology_file(session.topology(network))
    nodes = ask(session.topo, "show", path, "--json")["nodes"]
    hosts = sorted((node["name"] for node in nodes if node["kind"] == "host"), key=lambda name: int(name.lstrip("n")))
    streams = planned_streams(session.topo, path, kind, hosts, "--fanout", PIPEBCAST_WAYS["kary"]["coll_pipebcast_fanout"])
    return Broadcast(Network(nodes, parse_rate(network.speed), session.LATENCY_NS), streams, hosts[0],
                     read_host(os.path.join(TOP, "contrib/testbed/host-virtual.conf")))


def measure(session):
    """Simulates each cell that was measured."""
    measured = {name: list(sample_files.read(os.path.join(TOP, f"doc/results/{name}.csv"))) for name in MEASURED_IN}
    networks = {(network.name, network.speed): network for name in MEASURED_IN for network in session.networks(name)}
    for name, speed, method, segment, size in sorted(cells(measured)):
        took = broadcast_of(session, networks[name, speed], Method(method).algorithm).time(size, segment)
        session.writer.write(f"{name}, {speed}", method, size, took, segment=segment, speed=COMPUTED)


class _SimulatedView(NetworkView):
    """A place is a network, a speed, a dilation, a kind and a segment size."""

    def __init__(self, samples):
        self.times = {}
        measured = cells(samples)
        for place, _, _, method, size, segment, computed in each_cell(samples.get("simulated", [])):
            network, _, speed = place.rpartition(", ")
            for dilation, times in measured.get((network, speed, method, segment, size), {}).items():
                where = f"{place} dilated {dilation} times, {method} in {segment}"
                self.times[where, size] = {SIMULATED: computed, MEASURED: times}

    def points(self):
        return sorted(self.times)

    def values(self, place, name, size):
        return self.times[place, size][name]


class Simulated:
    """Samples are those of `simulated`, beside those of `dilation` and `speeds`."""

    name = "simulated"
    figure = "hosts of today"
    claims = [Claim("the dilated testbed takes what a simulation with the same costs does (we say: within 10 %)", SIMULATED, MEASURED,
                    low=0.9, high=1.1, said="ours")]

    @staticmethod
    def view(samples):
        return _SimulatedView(samples)


SIMULATED_EXPERIMENT = Simulated()
