"""Made-up times of kinds of trees, and what pipebcast-tune and pipebcast-topo print of them. The made-up programs
of test_tuning.py, which are started hundreds of times, import nothing else."""

# Segment sizes that are tried: those of the experiment, which whoever imports this sets.
SEGMENTS = []

# Hops of the longest path, and children of a rank.
SHAPES = {"chain": (15, 1), "binary": (4, 2), "kary": (3, 3), "twotree": (5, 1),
          "binomial": (4, 4)}


def gap_us(size):
    """From one message to the next: a start and a microsecond for each byte."""
    return 40 + size


def broadcast_us(kind, segment, size):
    """Formulas (1) and (2) of paper 2, with L = 0."""
    hops, degree = SHAPES[kind]
    segment = min(segment, size)
    return (hops + degree * -(-size // segment) - 1) * gap_us(segment)


def tuned_us(size):
    return 9 * gap_us(size)


# Of methods without segments, in times of a message.
WHOLE = {"pipebcast:flat": 1, "tuned:binomial": 1, "tuned:scatter_allgather_ring": 2}


def method_us(name, size):
    """The made-up time of a method. What auto does costs 2 % more than its choice."""
    if name == "tuned":
        return tuned_us(size)
    if name in WHOLE:
        return WHOLE[name] * gap_us(size)
    if name == "pipebcast":
        return 1.02 * min(broadcast_us(kind, segment, size) for kind in SHAPES
                          for segment in SEGMENTS)
    _, kind, segment = name.split(":")
    return broadcast_us(kind, int(segment), size)


def bench_rows(name, sizes):
    return [{"label": name, "bytes": str(size), "pingpong_us": str(gap_us(size)), "loop_us": "",
             "sync_median_us": str(method_us(name, size)), "sync_ratio": "", "limited": "0"}
            for size in sizes]


def model_text(sizes):
    rows = "".join(f"cost {size} {1000 * gap_us(size)} {2500 * gap_us(size)} {1000 * gap_us(size)}"
                   " 10 10 # made up\n" for size in sizes)
    return f"pipebcast-model 1\ntopology any\n\nplace switch links 2\n{rows}"


def explained(arguments):
    """What `pipebcast-topo explain` prints: 10 % more than the made-up times."""
    size = int(arguments["--sizes"])
    kinds = [arguments["--algorithm"]] if "--algorithm" in arguments else list(SHAPES)
    segments = [int(arguments["--segment"])] if "--segment" in arguments else SEGMENTS
    found = [(1.1 * broadcast_us(kind, segment, size) / 1e3, kind, segment) for kind in kinds
             for segment in segments]
    lines = [f"{kind:<12} {segment:>10} {-(-size // segment):>10} {took:>12.3f}"
             + ("  chosen" if (took, kind, segment) == min(found) else "")
             for took, kind, segment in found]
    return "\n".join(["# made up", "algorithm segment segments predicted ms", *lines,
                      f"fallback - - {tuned_us(size) / 1e3:.3f}  estimated"])


def tree_text(arguments):
    """What `pipebcast-topo tree --format json` prints: a chain, or a tree in which rank k has 2k+1 and 2k+2."""
    hosts = arguments["--hosts"].split(",")
    is_chain = arguments["--algorithm"] == "chain"
    edges = [f'["{hosts[i - 1 if is_chain else (i - 1) // 2]}", "{hosts[i]}"]' for i in range(1, len(hosts))]
    return '{"streams": [{"edges": [' + ", ".join(edges) + "]}]}"


def simulated(arguments):
    """What `pipebcast-topo simulate --json` prints: 16 segment times to fill any tree."""
    runs = [f'{{"algorithm": "{kind}", "segments": {segments}, "time": {int(segments) * SHAPES[kind][1] + 16}}}'
            for kind in arguments["--algorithm"].split(",")
            for segments in arguments["--segment-counts"].split(",")]
    return '{"runs": [' + ", ".join(runs) + "]}"
