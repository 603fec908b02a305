"""Ours: whether what the dilated testbed shows depends on how much it is dilated."""

from ..claims import Claim
from ..experiment import NetworkView
from ..samples import each_cell

MEASURED_IN = ("dilation", "undilated")
USUAL, FULL_SPEED = "1000", "1"


class _DilatedView(NetworkView):
    """A place is a network, a speed, a method and a segment size; a line is a dilation."""

    def __init__(self, samples):
        self.times = {}
        for experiment in MEASURED_IN:
            for network, speed, dilation, method, size, segment, times in each_cell(samples.get(experiment, [])):
                where = f"{network}, {speed}, {method}" + (f" in {segment}" if segment else "")
                self.times.setdefault((where, size), {})[dilation] = times

    def points(self):
        return sorted(self.times)

    def values(self, place, name, size):
        return self.times[place, size].get(name, [])


class Dilated:
    """Samples are those of `dilation` and `undilated`."""

    name = "dilated"
    figure = "hosts of today"
    claims = [
        *[Claim(f"dilated {dilation} times a network shows the times that it shows dilated {USUAL} times (we say: within 5 %)", dilation, USUAL,
                low=0.95, high=1.05, said="ours") for dilation in ("500", "2000")],
        Claim("two hosts at full speed take what they do dilated (we say: within 10 %)", FULL_SPEED, USUAL, low=0.9, high=1.1, said="ours",
              why="the two processors do the work of bridge and buckets, too (inferred), and each run "
                  "measures its host's costs anew")]

    @staticmethod
    def view(samples):
        return _DilatedView(samples)


DILATED = Dilated()
