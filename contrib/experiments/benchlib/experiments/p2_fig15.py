"""Paper 2, Figure 15 (paper 1, Figure 11): contention-free against topology-unaware trees."""

from ..claims import Claim
from ..experiment import Experiment, Line, Panel

K = 1024
M = 1024 * K

FIG15 = Experiment(
    name="p2-fig15",
    figure="paper 2, Figure 15 (paper 1, Figure 11)",
    shows="Contention-free trees against the same trees in the order of ranks. Children of rank k "
          "in the binary tree in rank order: 2k+1 and 2k+2.",
    panels=[Panel("(a) Topology (2)", "2", "8K:1M"), Panel("(b) Topology (5), hosts dealt out in pairs", "5-pairs", "8K:1M"),
            Panel("Topology (5), hosts dealt out one by one", "5", "8K:1M")],
    lines=[Line("chain", "pipebcast:chain", segmented=True),
           Line("chain in rank order", "pipebcast:rank_chain", segmented=True),
           Line("binary, Algorithm 2", "pipebcast:binary", segmented=True),
           Line("binary in rank order", "pipebcast:rank_binary", segmented=True)],
    claims=[
        Claim("on (2) the linear tree in rank order happens to be contention-free: the same "
              "times (we say: within 5 %)", "chain in rank order", "chain", low=1 / 1.05, high=1.05,
              topologies=("2",)),
        Claim("on (5) the linear tree in rank order is much slower (we say: twice)",
              "chain in rank order", "chain", low=2, topologies=("5-pairs", "5"),
              why="at 64 KB the chain itself still fills"),
        Claim("1 MB on (5) takes the linear tree in rank order 409.7 / 107.3 = 3.82 times as "
              "long (paper 1)", "chain in rank order", "chain", low=409.7 / 107.3, sizes=(M, M),
              topologies=("5-pairs",), why="four of its edges share a trunk in our reconstruction, and no more"),
        Claim("the binary tree in rank order is significantly slower (we say: 1.2 times)",
              "binary in rank order", "binary, Algorithm 2", low=1.2),
    ])
