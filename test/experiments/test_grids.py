#!/usr/bin/env python3
"""TAP test: the random grids that are kept are those that draw-grids draws, and whole networks."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "contrib", "experiments"))

from benchlib.drawn_grid import HOSTS, N_GRIDS, N_SITUATIONS, draw_grids, read_grids  # noqa: E402

SEED = 4  # as in contrib/experiments/draw-grids
count = 0


def ok(good, text):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {text}")


def links_of(grid):
    ends = [(s.name, s.above) for s in grid.sites + grid.clusters]
    return set(ends + [(b, a) for a, b in ends])


def main():
    kept, drawn = read_grids(), draw_grids(SEED)
    ok(len(kept) == N_GRIDS and {n: g.text() for n, g in kept.items()}
       == {n: g.text() for n, g in drawn.items()}, "the files are those of the seed")
    ok({n: g.text() for n, g in draw_grids(SEED + 1).items()}
       != {n: g.text() for n, g in drawn.items()}, "another seed draws others")
    grids = kept.values()
    ok(all(sum(len(of) for of in grid.hosts_of(n).values()) == n for grid in grids for n in HOSTS),
       "each has 32 and 64 hosts")
    ok(all(grid.root_rank(n) < n for grid in grids for n in HOSTS), "the root is one of them")
    ok(all({load.situation for load in grid.loads} == set(range(1, N_SITUATIONS + 1))
           for grid in grids), "each has three loaded situations")
    ok(all((load.sender, load.receiver) in links_of(grid) and 50 <= load.percent <= 90
           for grid in grids for load in grid.loads), "loads of 50 to 90 % are on links of it")
    ok(all(grid.speed_of(load) >= 1 for grid in grids for load in grid.loads),
       "of which the speeds are known")
    print(f"1..{count}")


if __name__ == "__main__":
    main()
