"""Ways to broadcast: components of Open MPI, or MPICH, with an algorithm and a segment size."""

from .units import UserError, parse_bytes

TUNED = {"linear": 1, "chain": 2, "pipeline": 3, "split_binary": 4, "binary": 5, "binomial": 6,
         "knomial": 7, "scatter_allgather": 8, "scatter_allgather_ring": 9}
TUNED_SEGMENTED = ["chain", "pipeline", "split_binary", "binary", "binomial", "knomial"]
ADAPT = {"binomial": 1, "in_order_binomial": 2, "binary": 3, "pipeline": 4, "chain": 5, "linear": 6}
ADAPT_SEGMENTED = ["binomial", "in_order_binomial", "binary", "pipeline", "chain"]
# What the nonblocking broadcast of Open MPI can be made to do; it has no segment sizes.
LIBNBC = {"linear": 1, "binomial": 2, "chain": 3, "knomial": 4}


def _mpich_tree(kind, children):
    return {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "pipelined_tree", "MPIR_CVAR_BCAST_TREE_TYPE": kind,
            "MPIR_CVAR_BCAST_TREE_KVAL": str(children)}


def _mpich_task(algorithm, **tree):
    """MPICH's tasks, which its nonblocking broadcast is made of, in the blocking one."""
    return {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nb", "MPIR_CVAR_IBCAST_INTRA_ALGORITHM": algorithm,
            **{f"MPIR_CVAR_IBCAST_TREE_{name}": value for name, value in tree.items()}}


# MPICH's algorithms: the variables that force them, and that of the segment size, if they have one.
# A version that does not know the name ends in MPI_Init: 4.0 with pipelined_*, all before 5.1 with circ_graph.
MPICH = {
    "binomial": ({"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}, None),
    "scatter_allgather": (
        {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_recursive_doubling_allgather"}, None),
    "scatter_allgather_ring": (
        {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather"}, None),
    "ring": (_mpich_task("tsp_ring"), "MPIR_CVAR_IBCAST_RING_CHUNK_SIZE"),
    "binary": (_mpich_task("tsp_tree", TYPE="kary", KVAL="2"),
               "MPIR_CVAR_IBCAST_TREE_PIPELINE_CHUNK_SIZE"),
    "knomial": (_mpich_task("tsp_tree", TYPE="knomial_1", KVAL="2"),
                "MPIR_CVAR_IBCAST_TREE_PIPELINE_CHUNK_SIZE"),
    "pipelined_chain": (_mpich_tree("kary", 1), "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE"),
    "pipelined_binary": (_mpich_tree("kary", 2), "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE"),
    "pipelined_knomial": (_mpich_tree("knomial_1", 2),
                          "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE"),
    "circ_graph": ({"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "circ_graph"}, "MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE"),
}
MPICH_SINCE_5_0 = ["pipelined_chain", "pipelined_binary", "pipelined_knomial"]
MPICH_SINCE_5_1 = ["circ_graph"]
# Nothing of its own for one network, and no other algorithm in the place of one that cannot be used.
MPICH_ALWAYS = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none", "MPIR_CVAR_COLLECTIVE_FALLBACK": "error"}

ALGORITHMS = {"tuned": TUNED, "adapt": ADAPT, "libnbc": LIBNBC, "mpich": MPICH, "han": {}}

# Of experiments about trees: what is chosen is one.
BY_TREES = {"coll_pipebcast_multicast": "off"}

# Names in the place of an algorithm of pipebcast that are no trees, or have settings of their own. Multicast is off
# unless a site allows it; advice also needs a directory. The papers' figures have three children.
PIPEBCAST_WAYS = {
    "kary": {"coll_pipebcast_fanout": "3"},
    "multicast": {"coll_pipebcast_multicast": "auto"},
    "multicast_allowed": {"coll_pipebcast_algorithm": "auto", "coll_pipebcast_multicast": "auto"},
    "connected": {"coll_pipebcast_algorithm": "auto", "mpi_preconnect_mpi": "1"},
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
        if self.component not in (*ALGORITHMS, "pipebcast"):
            raise UserError(f"--methods: component '{self.component}' is unknown; "
                            f"known are {', '.join(ALGORITHMS)}, pipebcast")
        known = ALGORITHMS.get(self.component)
        if known is not None and self.algorithm and self.algorithm not in known:
            raise UserError(f"--methods: {self.component} has no algorithm '{self.algorithm}'; "
                            f"it has {', '.join(known) or 'none that can be named'}")
        if self.segment and not self._takes_segments():
            raise UserError(f"--methods: {self.component}:{self.algorithm} has no segments")

    def _takes_segments(self):
        if self.component == "mpich":
            return MPICH[self.algorithm][1] is not None
        return self.component != "libnbc"

    @property
    def is_mpich(self):
        """Another implementation of MPI, with an mpirun and a build of the benchmark of its own."""
        return self.component == "mpich"

    @property
    def bench_arguments(self):
        """What the benchmark must know of it."""
        return ["--op", "ibcast"] if self.component == "libnbc" else []

    def launch(self, topology_file):
        """The arguments of mpirun for it."""
        option = "-genv" if self.is_mpich else "--mca"
        return [word for item in self.mca(topology_file).items() for word in (option, *item)]

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

    def _mca_han(self, _topology_file):
        # Where a host has one rank it leaves broadcasts to others, which is what is measured then.
        return {"coll": "^adapt,pipebcast", "coll_han_priority": "100"}

    def _mca_libnbc(self, _topology_file):
        settings = {"coll": "^adapt,han,pipebcast"}
        if self.algorithm:
            settings["coll_libnbc_ibcast_algorithm"] = str(LIBNBC[self.algorithm])
        return settings

    def _mca_mpich(self, _topology_file):
        """Variables of its environment, as it has no parameters of Open MPI."""
        if not self.algorithm:
            return {}
        variables, chunk = MPICH[self.algorithm]
        size = {chunk: str(self.segment)} if self.segment else {}
        return {**MPICH_ALWAYS, **variables, **size}

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

    def mpich(algorithms):
        return ["mpich"] + [f"mpich:{a}" for a in algorithms if MPICH[a][1] is None] \
            + at_segments("mpich", [a for a in algorithms if MPICH[a][1]])

    mpich_5_0 = [a for a in MPICH if a not in MPICH_SINCE_5_1]
    unsegmented = ["tuned:scatter_allgather", "tuned:scatter_allgather_ring"]
    sets = {
        "demo": ["tuned", "tuned:pipeline:1426", "tuned:binary:8192", "adapt:binary:8192", "pipebcast",
                 "pipebcast:multicast_allowed"],
        "quick": ["tuned", "tuned:pipeline:2874", "tuned:binary:2874", "adapt:pipeline:8192",
                  "pipebcast"],
        "default": ["tuned"]
        + at_segments("tuned", ["chain", "pipeline", "split_binary", "binary"]) + unsegmented
        + ["adapt"] + at_segments("adapt", ["pipeline", "binary"]) + ["pipebcast"],
        "all": ["tuned", "tuned:linear"] + at_segments("tuned", TUNED_SEGMENTED)
        + ["tuned:binomial", "tuned:knomial"] + unsegmented
        + ["adapt", "adapt:linear"] + at_segments("adapt", ADAPT_SEGMENTED)
        + ["pipebcast"] + at_segments("pipebcast", ["chain", "binary", "twotree"]),
        "peers": ["tuned", "tuned:linear", "tuned:binomial", "tuned:knomial"] + unsegmented
        + at_segments("tuned", TUNED_SEGMENTED)
        + ["adapt", "adapt:linear"] + at_segments("adapt", ADAPT_SEGMENTED)
        + ["libnbc"] + [f"libnbc:{algorithm}" for algorithm in LIBNBC],
        "peers-short": ["tuned", "tuned:binomial"] + unsegmented
        + at_segments("tuned", ["pipeline", "split_binary", "binary"])
        + ["adapt"] + at_segments("adapt", ["pipeline", "binary"])
        + ["libnbc"] + [f"libnbc:{algorithm}" for algorithm in LIBNBC],
        "mpich-4.0": mpich([a for a in mpich_5_0 if a not in MPICH_SINCE_5_0]),
        "mpich-5.0": mpich(mpich_5_0),
        "mpich-5.1": mpich(list(MPICH)),
    }
    names = []
    for item in text.split(","):
        names += sets.get(item, [item])
    return [Method(name) for name in dict.fromkeys(names)]
