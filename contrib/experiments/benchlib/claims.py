"""What a paper claims of a figure, as ratios of times that were measured."""

T = "T(M)"


class Claim:
    """
    That of / over lies between low and high (None: no bound) at all sizes in a range, at some
    places. `of` and `over` name lines of the experiment, or T(M), or are tuples of lines: the
    fastest of them; over is None where `of` has ratios already. `said` is who claims it; where the paper has no number, ours is part of text.
    `why` explains a claim that is known not to hold.
    """

    def __init__(self, text, of, over, low=None, high=None, sizes=(0, None), places=None,
                 said="paper", why=""):
        self.text = text
        self.of = of
        self.over = over
        self.low = low
        self.high = high
        self.sizes = sizes
        self.places = places
        self.said = said
        self.why = why

    def applies(self, place, size):
        first, last = self.sizes
        return (self.places is None or place in self.places) and size >= first and (last is None or size <= last)

    def is_within(self, ratio):
        return (self.low is None or ratio >= self.low) and (self.high is None or ratio <= self.high)


class Verdict:
    """A claim beside the ratios that were measured: (place, size, ratio)."""

    def __init__(self, claim, ratios):
        self.claim = claim
        self.ratios = ratios

    @property
    def holds(self):
        """None if nothing was measured."""
        return all(self.claim.is_within(ratio) for *_, ratio in self.ratios) if self.ratios else None

    def extremes(self):
        """The points with the least and the greatest ratio; one, if they are the same."""
        return list(dict.fromkeys(pick(self.ratios, key=lambda entry: entry[2]) for pick in (min, max)))


def names_of(side):
    """The lines that a side of a claim names."""
    return side if isinstance(side, tuple) else () if side is None else (side,)


def ratio_text(claim):
    sides = ["best of " + ", ".join(side) if isinstance(side, tuple) else side for side in (claim.of, claim.over) if side]
    return " / ".join(sides)


def judge(claim, points, value):
    """
    points: the (place, size) that were measured; value(place, name, size) yields the time of a line or of T(M),
    None if it was not measured.
    """
    def of_side(place, side, size):
        times = [value(place, name, size) for name in names_of(side)] or [1.0]
        return None if None in times else min(times)  # a rival that is missing may be the best

    ratios = []
    for place, size in points:
        if claim.applies(place, size):
            upper, lower = of_side(place, claim.of, size), of_side(place, claim.over, size)
            if upper is not None and lower:
                ratios.append((place, size, upper / lower))
    return Verdict(claim, ratios)
