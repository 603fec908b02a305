"""Paper 2, Table 1: what broadcast algorithms take for very large messages, in T(M)."""

import math
import statistics

from ..claims import T, Claim
from ..experiment import MethodView

TOPOLOGY, RANKS = "1", 16
# Of each algorithm its method, and the table's factor, in words and for RANKS.
ALGORITHMS = {"flat": ("pipebcast:flat", "P - 1", RANKS - 1), "binomial": ("tuned:binomial", "log2 P", math.log2(RANKS)),
              "scatter+ring": ("tuned:scatter_allgather_ring", "2", 2), "linear": ("pipebcast:chain", "1", 1),
              "binary": ("pipebcast:binary", "2", 2), "3-ary": ("pipebcast:kary", "3", 3)}

# Of claims that do not hold.
WHY = {"binomial": "tuned sends to all children together; where these messages share the link, the first child gets its own late",
       "scatter+ring": "messages wait in links for longer than TCP's least retransmission time, so it repeats them; "
                       "pieces of 64 KB also wait for a rendezvous"}


class _Growth(MethodView):
    """
    Values are what an algorithm takes for its greatest message beyond the one before, over what the messages
    themselves take, over the table's factor: without what fills a pipeline.
    """

    def __init__(self, samples):
        super().__init__(samples, "2mbit", {name: method for name, (method, *_) in ALGORITHMS.items()})

    def _sizes(self, name):
        """Ascending."""
        return sorted({size for _, size in super().points() if super(_Growth, self).values(TOPOLOGY, name, size)})

    def points(self):
        return [(TOPOLOGY, size) for size in sorted({self._sizes(name)[-1] for name in ALGORITHMS if self._sizes(name)})]

    def values(self, place, name, size):
        sizes = self._sizes(name)
        if len(sizes) < 2 or size != sizes[-1]:
            return []
        below, *message = (statistics.median(super(_Growth, self).values(place, *of)) for of in
                           ((name, sizes[-2]), (T, sizes[-2]), (T, size)))
        growth = message[1] - message[0]
        return [(took - below) / growth / ALGORITHMS[name][2] for took in super().values(place, name, size)]


class Table1:
    """The samples are those of `trees`."""

    name = "p2-table1"
    figure = "paper 2, Table 1"
    claims = [Claim(f"{name}: {words} (we say: within 20 %)", name, None, low=1 / 1.2, high=1.2, why=WHY.get(name, ""))
              for name, (_, words, _) in ALGORITHMS.items()]

    @staticmethod
    def view(samples):
        return _Growth(samples["trees"])


TABLE1 = Table1()
