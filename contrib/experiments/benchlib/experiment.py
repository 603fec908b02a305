"""An experiment: its claims, and what samples show of its lines."""

import statistics

from .claims import T
from .samples import fastest, times_by_segment
from .units import bytes_text, parse_bytes

# In the place of links' speed, of samples that were computed.
COMPUTED = "computed"


class View:
    """
    What samples show of an experiment: points() are the (place, size) at which anything was measured; values() are a
    line's samples there, [] if there are none, and value() is what they count for.
    """

    # Whether a line of one sample has no chance in it.
    is_computed = False

    def points(self):
        raise NotImplementedError

    def values(self, place, name, size):
        raise NotImplementedError

    def value(self, place, name, size):
        values = self.values(place, name, size)
        return statistics.median(values) if values else None

    def where(self, place, size):
        """A point, for people."""
        return f"at {bytes_text(size)} on ({place})"


class NetworkView(View):
    """Places are networks, by their whole names."""

    def where(self, place, size):
        return f"at {bytes_text(size)} on {place}"


class MethodView(View):
    """Lines are methods, or methods with a segment size; without one the best segment size of each point counts."""

    def __init__(self, samples, speed, methods=None):
        """methods: {line: method}, where a line has another name than its method."""
        self.methods = {T: "T", **(methods or {})}
        self.networks = {network.strip("()"): cells for (network, of, _), cells in times_by_segment(samples).items() if of == speed}

    def points(self):
        return sorted({(network, size) for network, cells in self.networks.items() for _, size in cells})

    def values(self, place, name, size):
        method = self.methods.get(name, name)
        family, _, segment = method.rpartition(":")
        if not segment.isdigit():
            family, segment = method, None
        by_segment = self.networks.get(place, {}).get((family, size), {})
        if segment:
            return by_segment.get(int(segment), [])
        return fastest(by_segment)[0] if by_segment else []


class _FigureView(MethodView):
    def __init__(self, figure, samples):
        super().__init__(samples, figure.speed, figure.lines)
        self.figure = figure

    def points(self):
        first, last = self.figure.sizes
        return [(place, size) for place, size in super().points() if place in self.figure.places and first <= size <= last]


class Figure:
    """Lines over message sizes; their samples are those of the experiment `trees`."""

    def __init__(self, name, figure, places, sizes, lines, claims, speed="2mbit"):
        """
        places: topologies; sizes: FIRST:LAST; lines: {name: COMPONENT[:ALGORITHM[:SEGMENT]]}; speed: of the links whose
        samples tell which claims hold.
        """
        self.name = name
        self.figure = figure
        self.places = places
        self.sizes = [parse_bytes(end) for end in sizes.split(":")]
        self.lines = lines
        self.claims = claims
        self.speed = speed

    def view(self, samples):
        """samples: of all experiments, by their names."""
        return _FigureView(self, samples["trees"])
