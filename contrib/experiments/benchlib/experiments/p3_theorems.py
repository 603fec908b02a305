"""
Paper 3, Theorems 1 to 6 and Lemma 1: arrivals against each algorithm, as the proofs have them, on 8, 16 and 32 hosts of one
switch. Ranks that the proof names come late by MAX_IF times T(M), the same in each run. OPT is between the bounds of Lemmas 1 and 2: what is to
be slow is held against the upper one, what is to be fast against the lower one.
"""

import statistics
from collections import namedtuple

from ..claims import Claim
from ..command import measure_at
from ..experiment import View
from ..report import write_text
from ..samples import times_by_segment
from .p3_arrival import OPT, RATE, run_patterns

K = 1024
SIZE, RUNS = 64 * K, 5
HOSTS = [8, 16, 32]
# MAX_IF is the number of hosts, and in the nonblocking model so many times that, on the fewest hosts.
LONGER = 4

# Who is late of n ranks, and the algorithms that the theorem is about.
Against = namedtuple("Against", "late lines")
TOGETHER, CHILDREN, SECOND, LAST = "all together", "the root's children late", "rank 1 late", "the last rank late"
SCATTER = ("tuned scatter+rec.", "tuned scatter+ring")
AGAINST = {
    TOGETHER: Against(lambda n: [], ("flat",)),
    CHILDREN: Against(lambda n: [1 << i for i in range(n.bit_length() - 1)], ("binomial",)),
    SECOND: Against(lambda n: [1], ("linear_p", *SCATTER)),
    # The chain in rank order is then in the order of arrivals: Lemma 1's nearopt.
    LAST: Against(lambda n: [n - 1], ("linear_p",))}
OURS = ("arrival_b", "arrival_nb", "flat_nb")

# Behind a line's name: the lower bound of OPT in the nonblocking model.
OPT_NB = " OPT, nonblocking"
# Behind a line's name, in claims: over the upper bound of OPT, in each model, and that over n; over the lower bound in each
# model; over flat_nb's bound; and how its time grows where ranks come LONGER times as late.
NEAR, NEAR_NB, PER_RANK, FLAT, GROWTH = ", near", ", near, nonblocking", ", per rank", ", flat", ", growth"
OVER, OVER_NB = ", over OPT", ", over OPT, nonblocking"


def network_of(n, against, max_if):
    return f"{n} hosts, {against}, MAX_IF {max_if}"


def measure(session):
    options = session.options
    for n in HOSTS:
        if options.networks and f"{n} hosts" not in options.networks.split(";"):
            continue
        place = session.place(write_text(session.directory, f"hosts{n}.conf", f"SwitchName=s0 Nodes=n[0-{n - 1}]\n"), RATE)
        if measure_at(place, lambda n=n, place=place: _measure_on(session, place, n)):
            return True
    return False


def _run(session, place, line, late, max_ifs):
    if not late:  # with MAX_IF 1 all ranks of "random" arrive together
        return run_patterns(session, place, line, "random", SIZE, [1], patterns=RUNS)
    return run_patterns(session, place, line, "late", SIZE, max_ifs, "--late-ranks", ",".join(map(str, late)), patterns=RUNS)


def _measure_on(session, place, n):
    for name, against in AGAINST.items():
        late = against.late(n)
        for line in against.lines + (OURS if name in (CHILDREN, SECOND) else ("arrival_b",) if name == TOGETHER else ()):
            if session.options.methods and line not in session.options.methods.split(","):
                continue
            machine = session.writer.machine()
            for row in _run(session, place, line, late, [n] + [LONGER * n] * (n == HOSTS[0] and line not in ("arrival_b", "flat_nb"))):
                for what, field in (("", "average_us"), (OPT, "opt_blocking_us"), (OPT_NB, "opt_nonblocking_us")):
                    session.writer.write(network_of(n, name, row["max_if"]), line + what, SIZE, 1e3 * float(row[field]),
                                         broadcast=row["pattern"], speed=RATE, machine=machine)


class _TheoremView(View):
    """A place is a key of AGAINST, and the number of hosts stands for a size."""

    def __init__(self, samples):
        self.cells = {(network, method): by_segment[0] for (network, *_), cells in times_by_segment(samples).items()
                      for (method, _), by_segment in cells.items()}

    def _times(self, place, n, line, longer=1):
        return self.cells.get((network_of(n, place, 1 if place == TOGETHER else longer * n), line), [])

    def points(self):
        return [(place, n) for n in HOSTS for place, against in AGAINST.items()
                if any(self._times(place, n, line) for line in against.lines + OURS)]

    def where(self, place, size):
        return f"on {size}, {place}"

    def values(self, place, name, size):
        line, comma, what = name.partition(", ")
        times, least, least_nb = (self._times(place, size, line + of) for of in ("", OPT, OPT_NB))
        what = comma + what
        if what == GROWTH:
            before = statistics.median(times) if times else None
            return [took / before for took in self._times(place, size, line, LONGER)] if before else []
        # Lemma 1's bound is T / n above that of Lemma 2, in the nonblocking model T itself, of which Lemma 2's is (n - 1) / n.
        upper = [a + b / (size - 1) for a, b in zip(least, least_nb)]
        over, by = {NEAR: (upper, 1), NEAR_NB: (least_nb, size / (size - 1)), PER_RANK: (upper, size), OVER: (least, 1), OVER_NB: (least_nb, 1),
                    FLAT: (least_nb, size / 2 + 1)}[what]
        return [took / opt / by for took, opt in zip(times, over)]


class Theorems:
    name = "p3-theorems"
    figure = "paper 3, Theorems 1 to 6"
    claims = [
        Claim("Theorem 1: flat takes (n - 1) / 2 OPT where all arrive together (we say: at least 0.4 n)", "flat" + PER_RANK, None, low=0.4,
              places=(TOGETHER,)),
        Claim("Theorem 2: binomial takes n / 4 OPT where the root's children are late", "binomial" + PER_RANK, None, low=0.25, places=(CHILDREN,)),
        Claim("Theorem 3: linear_p takes n / 4 OPT where rank 1 is late", "linear_p" + PER_RANK, None, low=0.25, places=(SECOND,)),
        Claim("Theorem 4: so do scatter and all-gather, by doubling or in a ring", tuple(line + PER_RANK for line in SCATTER), None, low=0.25,
              places=(SECOND,)),
        *(Claim(f"Theorem{'s' * (len(lines) > 1)} {of}, nonblocking: {text} no bound (we say: four times as late, 2.5 times as long)",
                tuple(line + GROWTH for line in lines), None, low=2.5, places=(place,))
          for of, text, lines, place in (("2", "binomial has", ("binomial",), CHILDREN),
                                         ("3 and 4", "linear_p, scatter and all-gather have", ("linear_p", *SCATTER), SECOND))),
        Claim("Lemma 1: a chain in the order of arrivals takes at most D / n + T (we say: 1.25 times that; here no sender "
              "waits, so it says little)", "linear_p" + NEAR, None, high=1.25, places=(LAST,)),
        Claim("Lemma 1, nonblocking: T (we say: 2 T, as it fills hop by hop)", "linear_p" + NEAR_NB, None, high=2, places=(LAST,)),
        Claim("Theorem 6: arrival_b takes at most 3 OPT under the same arrivals", "arrival_b" + OVER, None, high=3),
        Claim("Theorem 5: arrival_nb takes at most 3 OPT, nonblocking", "arrival_nb" + OVER_NB, None, high=3),
        Claim("however late they are: four times as late, at most 1.2 times as long (we say)", "arrival_nb" + GROWTH, None, high=1.2),
        Claim("flat_nb takes n / 2 + 1 OPT, however late they are (we say: at most 1.1 times that)", "flat_nb" + FLAT, None, high=1.1)]

    @staticmethod
    def view(samples):
        return _TheoremView(samples["p3-theorems"])


THEOREMS = Theorems()
