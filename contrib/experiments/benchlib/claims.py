"""What a paper claims of a figure, as ratios of times that were measured."""

from .units import bytes_text

T = "T(M)"


class Claim:
    """
    That of / over lies between low and high (None: no bound) at all sizes in a range, on some
    topologies. `of` and `over` name lines of the experiment, or T(M), or are tuples of lines: the
    fastest of them. `said` is who claims it; where the paper has no number, ours is part of text.
    `why` explains a claim that is known not to hold.
    """

    def __init__(self, text, of, over, low=None, high=None, sizes=(0, None), topologies=None,
                 said="paper", why=""):
        self.text = text
        self.of = of
        self.over = over
        self.low = low
        self.high = high
        self.sizes = sizes
        self.topologies = topologies
        self.said = said
        self.why = why

    def applies(self, topology, size):
        first, last = self.sizes
        return ((self.topologies is None or topology in self.topologies)
                and size >= first and (last is None or size <= last))

    def excess(self, ratio):
        """By what share a ratio is out of bounds; 0 if it is within."""
        if self.low is not None and ratio < self.low:
            return self.low / ratio - 1
        if self.high is not None and ratio > self.high:
            return ratio / self.high - 1
        return 0.0

    def bounds_text(self):
        if self.low is None:
            return f"at most {self.high:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}"


class Verdict:
    """A claim beside the ratios that were measured: (topology, size, ratio)."""

    def __init__(self, claim, ratios):
        self.claim = claim
        self.ratios = ratios

    @property
    def holds(self):
        """None if nothing was measured."""
        if not self.ratios:
            return None
        return all(self.claim.excess(ratio) == 0 for _, _, ratio in self.ratios)

    @property
    def is_other_than_known(self):
        return self.holds is not None and self.holds == bool(self.claim.why)

    def _place(self, entry):
        topology, size, ratio = entry
        return f"{ratio:.2f} at {bytes_text(size)} on ({topology})"

    def measured_text(self):
        least = min(self.ratios, key=lambda entry: entry[2])
        most = max(self.ratios, key=lambda entry: entry[2])
        if least == most:
            return self._place(least)
        return f"{self._place(least)} to {self._place(most)}"

    def text(self):
        claim = self.claim
        head = f"{claim.said}: {claim.text}"
        if self.holds is None:
            return f"not measured    {head}"
        mark = "HOLDS         " if self.holds else "DOES NOT HOLD "
        text = f"{mark}  {head} [{name_text(claim.of)} / {name_text(claim.over)} " \
            f"{claim.bounds_text()}]: measured {self.measured_text()}"
        if not self.holds:
            off = [entry for entry in self.ratios if claim.excess(entry[2]) > 0]
            worst = max(off, key=lambda entry: claim.excess(entry[2]))
            text += f"; off at {len(off)} of {len(self.ratios)} points, most by " \
                f"{100 * claim.excess(worst[2]):.0f} % ({self._place(worst)})"
        return text

    def record(self):
        claim = self.claim
        return {"said_by": claim.said, "text": claim.text, "of": claim.of, "over": claim.over,
                "low": claim.low, "high": claim.high, "holds": self.holds,
                "measured": [{"topology": t, "bytes": s, "ratio": r} for t, s, r in self.ratios]}


MEASURED, FAILED, REFUTED, INTERRUPTED = 0, 1, 3, 130


def exit_status(verdicts, failed=False, interrupted=False):
    """
    The exit status of an experiment: of what could not be measured, or else of a claim that was
    measured with another verdict than doc/results/claims.csv has. That of several experiments is the greatest.
    """
    if interrupted:
        return INTERRUPTED
    if failed:
        return FAILED
    return REFUTED if any(verdict.is_other_than_known for verdict in verdicts) else MEASURED


def name_text(name):
    return "best of " + ", ".join(name) if isinstance(name, tuple) else name


def judge(claim, points, time_us):
    """
    points: the (topology, size) that the experiment has; time_us(topology, name, size) yields the
    time of a line or of T(M), None if it was not measured.
    """
    def of_name(topology, name, size):
        names = name if isinstance(name, tuple) else (name,)
        times = [time_us(topology, each, size) for each in names]
        return None if None in times else min(times)  # a rival that is missing may be the best

    ratios = []
    for topology, size in points:
        if claim.applies(topology, size):
            upper = of_name(topology, claim.of, size)
            lower = of_name(topology, claim.over, size)
            if upper is not None and lower is not None:
                ratios.append((topology, size, upper / lower))
    return Verdict(claim, ratios)
