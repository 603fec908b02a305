"""
Paper 2, Figures 13, 14 and 18 (paper 1, Figures 9 and 10): pipelined broadcast against what MPI
libraries do. The papers' rivals and ours: LAM's binomial tree is tuned's, unsegmented; MPICH's
scatter and all-gather by recursive doubling (below 512 KB) is tuned's scatter_allgather, by a ring
(from 512 KB) its scatter_allgather_ring.
"""

from ..claims import T, Claim
from ..experiment import Figure

K = 1024
M = 1024 * K

LINES = {"chain": "pipebcast:chain",
         "binary, Algorithm 2": "pipebcast:binary",
         "two-tree": "pipebcast:twotree",
         "tuned": "tuned",
         "scatter+recursive": "tuned:scatter_allgather",
         "scatter+ring": "tuned:scatter_allgather_ring",
         "binomial": "tuned:binomial"}
PAPERS = ("chain", "binary, Algorithm 2")
OURS = (*PAPERS, "two-tree")
MPICH = ("scatter+recursive", "scatter+ring")
OTHERS = ("tuned", *MPICH, "binomial")

TWOTREE_FIRST = Claim("the two-tree is faster than everything else", (*OURS[:-1], *OTHERS),
                      "two-tree", low=1, said="ours")


# (5) of the papers is 5-pairs; ours is harsher.
PAPERS_PLACES = ("1", "4", "5-pairs")
PLACES = (*PAPERS_PLACES, "5")
# Of Figure 18.
HOSTS_KEEP_UP = "both take twice T(M) where hosts keep up with the link, as ours do and the papers' did not"

FIG13 = Figure(
    name="p2-fig13",
    figure="paper 2, Figure 13 (paper 1, Figure 9)",
    places=PLACES, sizes="8K:64K",
    lines=LINES,
    claims=[
        Claim("from 8 KB pipelining with the linear tree is faster than the algorithms of LAM and "
              "MPICH", (*MPICH, "binomial"), "chain", low=1, places=PAPERS_PLACES,
              why="8 KB are six segments, which pass all hosts one after the other: filling the chain takes longer than the message"),
        Claim("at 64 KB the linear tree is more than 30 % faster than MPICH's algorithm",
              MPICH, "chain", low=1.3, sizes=(64 * K, 64 * K), places=PAPERS_PLACES),
        Claim("on (5) the algorithms of LAM and MPICH perform poorly (we say: twice as slow as the "
              "papers' trees)", (*MPICH, "binomial"), PAPERS, low=2, places=("5-pairs",),
              why="8 KB are too few segments to fill a tree, and at 64 KB filling still counts"),
        Claim("pipelined broadcast is faster than tuned's own choice", "tuned", OURS, low=1,
              said="ours"),
        TWOTREE_FIRST,
    ])

FIG14 = Figure(
    name="p2-fig14",
    figure="paper 2, Figure 14 (paper 1, Figure 10)",
    places=PLACES, sizes="128K:1M",
    lines=LINES,
    claims=[
        Claim("on (1) and (4) at 1 MB (paper: from 512 KB) MPICH is similar to the binary tree (we "
              "say: within 25 %)", "scatter+ring", "binary, Algorithm 2", low=0.8, high=1.25,
              sizes=(M, M), places=("1", "4"),
              why="the scatter and the ring take longer than twice T(M), as in Table 1"),
        Claim("at 1 MB (paper: from 512 KB) the linear tree is about twice as fast as MPICH (we say: 1.7 to 2.3 times)",
              MPICH, "chain", low=1.7, high=2.3, sizes=(M, M), places=PAPERS_PLACES,
              why="the scatter and the all-gather take longer than twice T(M), as in Table 1"),
        Claim("at 1 MB the linear tree is more than 200 % faster than MPICH on all topologies",
              MPICH, "chain", low=3, sizes=(M, M), places=PAPERS_PLACES,
              why="on (1) scatter and all-gather meet no trunk; where they take twice T(M), as by Table 1, nothing is three times as fast"),
        Claim("on (5) the algorithms of LAM and MPICH perform poorly (we say: twice as slow as the "
              "papers' trees)", (*MPICH, "binomial"), PAPERS, low=2, places=("5-pairs",)),
        Claim("the linear tree is faster than the algorithms of LAM and MPICH",
              (*MPICH, "binomial"), "chain", low=1, places=PAPERS_PLACES),
        Claim("1 MB on (5) takes the linear tree 107.3 ms (paper 1), 1.20 times T(M), half of the 178.57 ms of 2 MB "
              "(paper 2, Table 4; we say: at most that)", "chain", T, high=107.3 / 89.3, sizes=(M, M),
              places=("5-pairs",)),
        Claim("pipelined broadcast is faster than tuned's own choice", "tuned", OURS, low=1,
              said="ours"),
        TWOTREE_FIRST,
    ])

FIG18 = Figure(
    name="p2-fig18",
    figure="paper 2, Figure 18",
    places=PLACES, sizes="32K:1M",
    lines=LINES,
    claims=[
        Claim("on (1) from 128 KB pipelined broadcast is noticeably faster than the others (we "
              "say: 1.1 times)", (*MPICH, "binomial"), PAPERS, low=1.1, sizes=(128 * K, None),
              places=("1",)),
        Claim("on (1) at 128 KB MPICH takes 8.7 / 7.8 = 1.12 times as long as the binary tree",
              MPICH, "binary, Algorithm 2", low=8.7 / 7.8,
              sizes=(128 * K, 128 * K), places=("1",), why=HOSTS_KEEP_UP),
        Claim("on (1) at 512 KB MPICH takes 27.8 / 24.3 = 1.14 times as long as the binary tree",
              MPICH, "binary, Algorithm 2", low=27.8 / 24.3,
              sizes=(512 * K, 512 * K), places=("1",), why=HOSTS_KEEP_UP),
        Claim("on (4) at 256 KB (paper: from 32 KB) recursive doubling suffers severe contention "
              "(we say: twice the binary tree)", "scatter+recursive", "binary, Algorithm 2", low=2,
              sizes=(256 * K, 256 * K), places=("4",)),
        Claim("on (4) at 1 MB LAM takes 87.4 / 47.2 = 1.85 times as long as the binary tree (we say: within 20 %)",
              "binomial", "binary, Algorithm 2", low=87.4 / 47.2 / 1.2, high=87.4 / 47.2 * 1.2, sizes=(M, M), places=("4",),
              why="messages that share a trunk overflow its queue, and TCP repeats them (inferred)"),
        Claim("on (4) at 1 MB MPICH takes 57.4 / 47.2 = 1.22 times as long as the binary tree",
              "scatter+ring", "binary, Algorithm 2", low=57.4 / 47.2, sizes=(M, M), places=("4",),
              why=HOSTS_KEEP_UP),
        Claim("on (5) at 256 KB (paper: at all sizes) all algorithms of LAM and MPICH are much slower (we say: twice)",
              (*MPICH, "binomial"), PAPERS, low=2, places=("5-pairs",)),
        TWOTREE_FIRST,
    ],
    speed="1gbit")

FIGURES = [FIG13, FIG14, FIG18]
