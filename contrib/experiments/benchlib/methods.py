"""Ways to broadcast: components of Open MPI with an algorithm and a segment size."""

from .units import UserError, parse_bytes

TUNED = {"linear": 1, "chain": 2, "pipeline": 3, "split_binary": 4, "binary": 5, "binomial": 6,
         "knomial": 7, "scatter_allgather": 8, "scatter_allgather_ring": 9}
TUNED_SEGMENTED = ["chain", "pipeline", "split_binary", "binary", "binomial", "knomial"]
ADAPT = {"binomial": 1, "in_order_binomial": 2, "binary": 3, "pipeline": 4, "chain": 5, "linear": 6}
ADAPT_SEGMENTED = ["binomial", "in_order_binomial", "binary", "pipeline", "chain"]
# What stands for an algorithm of pipebcast and is none of its trees: how it treats arrivals, and
# advice, which also needs a directory.
PIPEBCAST_WAYS = {
    "arrival_b": {"coll_pipebcast_algorithm": "auto", "coll_pipebcast_arrival": "b"},
    "arrival_nb": {"coll_pipebcast_algorithm": "auto", "coll_pipebcast_arrival": "nb"},
    "flat_nb": {"coll_pipebcast_algorithm": "flat", "coll_pipebcast_arrival": "nb"},
    "adaptive": {"coll_pipebcast_algorithm": "auto"},
}


class Method:
    """A component with its algorithm and segment size, and the arguments of mpirun for it."""

    def __init__(self, text, settings=None):
        """settings are parameters of Open MPI beyond those that the text implies."""
        self.settings = settings or {}
        parts = text.split(":")
        if len(parts) > 3 or not all(parts):
            raise UserError(f"--methods: '{text}' is not COMPONENT[:ALGORITHM[:SEGMENT]]")
        self.name = text
        self.component = parts[0]
        self.algorithm = parts[1] if len(parts) > 1 else None
        self.segment = parse_bytes(parts[2]) if len(parts) > 2 else None
        if self.component not in ("tuned", "adapt", "pipebcast"):
            raise UserError(f"--methods: component '{self.component}' is unknown; "
                            "known are tuned, adapt, pipebcast")
        known = {"tuned": TUNED, "adapt": ADAPT}.get(self.component)
        if known and self.algorithm and self.algorithm not in known:
            raise UserError(f"--methods: {self.component} has no algorithm '{self.algorithm}'; "
                            f"it has {', '.join(known)}")

    @property
    def family(self):
        """The method whatever its segment size."""
        return self.component + (":" + self.algorithm if self.algorithm else "")

    def mca(self, topology_file):
        settings = getattr(self, "_mca_" + self.component)(topology_file)
        ways = PIPEBCAST_WAYS if self.component == "pipebcast" else {}
        return {**settings, **self.settings, **ways.get(self.algorithm, {})}

    def _mca_tuned(self, _topology_file):
        # adapt and han keep out of the way also where they are above tuned by default.
        settings = {"coll": "^adapt,han,pipebcast"}
        if self.algorithm:
            settings["coll_tuned_use_dynamic_rules"] = "1"
            settings["coll_tuned_bcast_algorithm"] = str(TUNED[self.algorithm])
            settings["coll_tuned_bcast_algorithm_segmentsize"] = str(self.segment or 0)
        return settings

    def _mca_adapt(self, _topology_file):
        settings = {"coll": "^han,pipebcast", "coll_adapt_priority": "100"}
        if self.algorithm:
            settings["coll_adapt_bcast_algorithm"] = str(ADAPT[self.algorithm])
        if self.segment:
            settings["coll_adapt_bcast_segment_size"] = str(self.segment)
        return settings

    def _mca_pipebcast(self, topology_file):
        settings = {"coll": "pipebcast,tuned"}
        if topology_file:
            settings["coll_pipebcast_topology_file"] = topology_file
        if self.algorithm:
            settings["coll_pipebcast_algorithm"] = self.algorithm
        if self.segment:
            settings["coll_pipebcast_segment_size"] = str(self.segment)
        return settings


def expand_methods(text, segments):
    """Methods of a list of methods and sets, each once, in order."""
    def at_segments(component, algorithms):
        return [f"{component}:{a}:{s}" for a in algorithms for s in segments]

    unsegmented = ["tuned:scatter_allgather", "tuned:scatter_allgather_ring"]
    sets = {
        "demo": ["tuned", "tuned:pipeline:1426", "tuned:binary:8192", "adapt:binary:8192",
                 "pipebcast:chain:1426", "pipebcast"],
        "quick": ["tuned", "tuned:pipeline:2874", "tuned:binary:2874", "adapt:pipeline:8192",
                  "pipebcast"],
        "default": ["tuned"]
        + at_segments("tuned", ["chain", "pipeline", "split_binary", "binary"]) + unsegmented
        + ["adapt"] + at_segments("adapt", ["pipeline", "binary"]) + ["pipebcast"],
        "all": ["tuned", "tuned:linear"] + at_segments("tuned", TUNED_SEGMENTED)
        + ["tuned:binomial", "tuned:knomial"] + unsegmented
        + ["adapt", "adapt:linear"] + at_segments("adapt", ADAPT_SEGMENTED)
        + ["pipebcast"] + at_segments("pipebcast", ["chain", "binary", "twotree"]),
    }
    names = []
    for item in text.split(","):
        names += sets.get(item, [item])
    return [Method(name) for name in dict.fromkeys(names)]
