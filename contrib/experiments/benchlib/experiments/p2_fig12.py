"""Paper 2, Figures 12 (paper 1, Figure 8) and 17: contention-free trees against T(M)."""

from ..claims import T, Claim
from ..experiment import Figure

K = 1024

LINES = {"chain": "pipebcast:chain",
         "binary, Algorithm 2": "pipebcast:binary",
         "3-ary": "pipebcast:kary",
         "two-tree": "pipebcast:twotree"}

# Of Figure 17.
HOSTS_KEEP_UP = "our hosts keep up with the link, which carries the message once in the linear tree, and twice in the binary"

FIG12 = Figure(
    name="p2-fig12",
    figure="paper 2, Figure 12 (paper 1, Figure 8)",
    places=("1",), sizes="8K:1M",
    lines=LINES,
    claims=[
        Claim("from 64 KB (paper: 32 KB) the linear tree is the fastest of the papers' trees",
              ("binary, Algorithm 2", "3-ary"), "chain", low=1, sizes=(64 * K, None)),
        Claim("at 8 KB (paper: and 16 KB) the binary tree is the fastest",
              ("chain", "3-ary"), "binary, Algorithm 2", low=1, sizes=(8 * K, 8 * K)),
        Claim("the 3-ary tree is always slower than the binary tree",
              "3-ary", "binary, Algorithm 2", low=1),
        Claim("from 256 KB (paper: 128 KB) the linear tree is very close to T(M) (we say: within 10 %)",
              "chain", T, high=1.1, sizes=(256 * K, None),
              why="the chain fills hop by hop, and TCP acknowledges each segment (doc/design/bounds.md)"),
        Claim("large messages take the binary tree about twice T(M) (we say: 1.7 to 2.3 times, "
              "from 256 KB)", "binary, Algorithm 2", T, low=1.7, high=2.3, sizes=(256 * K, None)),
        Claim("the two-tree is faster than all trees of the papers at every size",
              ("chain", "binary, Algorithm 2", "3-ary"), "two-tree", low=1, said="ours"),
        Claim("from 256 KB the two-tree is within 10 % of T(M)", "two-tree", T, high=1.1,
              sizes=(256 * K, None), said="ours",
              why="both trees fill level by level, and TCP acknowledges each segment (doc/design/bounds.md)"),
    ])

FIG17 = Figure(
    name="p2-fig17",
    figure="paper 2, Figure 17",
    places=("1",), sizes="32K:2M",
    lines=LINES,
    claims=[
        Claim("below 1 MB the binary tree is faster than the linear tree", "chain",
              "binary, Algorithm 2", low=1, sizes=(0, 512 * K),
              why=HOSTS_KEEP_UP),
        Claim("above 1 MB the linear tree is faster than the binary tree", "binary, Algorithm 2",
              "chain", low=1, sizes=(2048 * K, None)),
        Claim("the 3-ary tree is always slower than the binary tree", "3-ary",
              "binary, Algorithm 2", low=1),
        Claim("even 2 MB take the linear tree clearly more than T(M) (we say: 1.2 times)", "chain",
              T, low=1.2, sizes=(2048 * K, None), why=HOSTS_KEEP_UP),
    ],
    speed="1gbit")
