"""A made-up cluster: T(M) is a microsecond for each byte; the lines take so many T(M). The made-up benchmark of
test_paper.py, which is started hundreds of times, imports nothing else."""

K = 1024


def made_up_us(name, size):
    family, _, segment = name.rpartition(":") if name.count(":") == 2 else (name, "", "0")
    factor = {"pipebcast:chain": 1.08 if size >= 32 * K else 3, "pipebcast:binary": 2,
              "pipebcast:kary": 1.9 if size == 64 * K else 3,
              "pipebcast:twotree": 1.05, "tuned": 9, "tuned:binomial": 5,
              "tuned:scatter_allgather": 2.5, "tuned:scatter_allgather_ring": 2}[family]
    best = 1400 if size < 64 * K else 2848
    return size * factor * (1 if segment in ("0", str(best)) else 1.5)


def made_up_arrival_row(name, size, max_if, number):
    """
    Pattern 0 is twice as bad as the others, against an OPT of T(M) and MAX_IF / 16 of it.
    """
    factor = {"pipebcast:flat": 8, "pipebcast:arrival_b": 1.4, "pipebcast:flat_nb": 4,
              "pipebcast:arrival_nb": 1.2}.get(name, 3 if max_if > 1 else 1.3)
    opt = size * (1 + max_if / 16)
    took = factor * opt * (2 if number == 0 else 1)
    if name == "pipebcast:arrival_nb":
        took = factor * size
    return {"label": name, "bytes": str(size), "max_if": str(max_if), "pattern": str(number),
            "pingpong_us": str(size), "average_us": str(took), "worst_us": str(2 * took),
            "average_imbalance_factor": str(max_if / 4), "worst_imbalance_factor": str(max_if),
            "opt_blocking_us": str(opt), "ratio_blocking": str(took / opt),
            "opt_nonblocking_us": str(size), "ratio_nonblocking": str(took / size),
            "waiting_us": str(size / 2), "ratio_net_blocking": str(took / opt + 1),
            "ratio_net_nonblocking": str(took / size + 1)}


def made_up_rows(options):
    """What the made-up benchmark prints for its command line."""
    sizes = [int(s) for s in options["--sizes"].split(",")]
    if "--arrival" not in options:
        return [made_up_row(options["--label"], size) for size in sizes]
    return [made_up_arrival_row(options["--label"], size, int(max_if), number) for size in sizes
            for max_if in options["--max-if"].split(",")
            for number in range(int(options["--patterns"]))]


def made_up_row(name, size):
    took = made_up_us(name, size)
    return {"label": name, "bytes": str(size), "pingpong_us": str(float(size)), "loop_us": "",
            "sync_median_us": str(took), "sync_ratio": str(took / size), "limited": "0"}
