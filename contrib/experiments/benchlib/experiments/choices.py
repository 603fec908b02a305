"""Ours: what is chosen, beside each kind of tree by name and other components, on hosts of today and on slow links."""

import statistics

from ..claims import Claim
from ..experiment import NetworkView
from ..samples import fastest, times_by_segment

EXPERIMENTS = ("peers", "speeds", "networks")
AUTO, MULTICAST, NAMED, PEERS = "auto", "multicast allowed", "best by name", "best of the others"
CHOSEN = {"pipebcast": AUTO, "pipebcast:multicast_allowed": MULTICAST}


def line_of(method):
    if method in CHOSEN:
        return CHOSEN[method]
    return NAMED if method.startswith("pipebcast:") else PEERS


class _ChoiceView(NetworkView):
    """Of each line the fastest method and segment size at a point; a place is a network and its speed."""

    def __init__(self, samples):
        self.lines = {}
        for experiment in EXPERIMENTS:
            for (network, speed, _), cells in times_by_segment(samples.get(experiment, [])).items():
                for (method, size), by_segment in cells.items():
                    if method.partition("@")[0] != "T":
                        found = self.lines.setdefault((f"{network}, {speed}", size), {})
                        found.setdefault(line_of(method), []).append(fastest(by_segment)[0])

    def points(self):
        return sorted(self.lines)

    def values(self, place, name, size):
        return min(self.lines[place, size].get(name, [[]]), key=lambda times: statistics.median(times) if times else 0)


class Choices:
    """Samples are those of `peers`, `speeds` and `networks`."""

    name = "choices"
    figure = "README.md and doc/results.md"
    claims = [
        Claim("what is chosen is faster than other components at their best", PEERS, AUTO, low=1, said="ours",
              why="a choice changes only for what sweeps measure to be more than 3 % faster"),
        Claim("so it is where multicast is allowed", PEERS, MULTICAST, low=1, said="ours"),
        Claim("from 64 KB on it is close to the best of the trees that were measured by name (we say: within 5 %)", AUTO, NAMED, high=1.05,
              sizes=(65536, None), said="ours"),
        Claim("where multicast is allowed it is no slower (we say: by 5 %)", MULTICAST, AUTO, high=1.05, said="ours")]

    @staticmethod
    def view(samples):
        return _ChoiceView(samples)


CHOICES = Choices()
