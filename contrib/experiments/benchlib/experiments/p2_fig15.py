"""Paper 2, Figure 15 (paper 1, Figure 11): contention-free against topology-unaware trees."""

from ..claims import Claim
from ..experiment import Figure

K = 1024
M = 1024 * K

FIG15 = Figure(
    name="p2-fig15",
    figure="paper 2, Figure 15 (paper 1, Figure 11)",
    places=("2", "5-pairs", "5"), sizes="8K:1M",
    lines={"chain": "pipebcast:chain",
           "chain in rank order": "pipebcast:rank_chain",
           "binary, Algorithm 2": "pipebcast:binary",
           "binary in rank order": "pipebcast:rank_binary"},
    claims=[
        Claim("on (2) the linear tree in rank order happens to be contention-free: the same "
              "times (we say: within 5 %)", "chain in rank order", "chain", low=1 / 1.05, high=1.05,
              places=("2",), why="at 64 KB each is one job, and jobs of one tree differ, too (inferred)"),
        Claim("on (5) the linear tree in rank order is much slower (we say: twice)",
              "chain in rank order", "chain", low=2, places=("5-pairs",),
              why="at 64 KB the chain itself still fills"),
        Claim("1 MB on (5) takes the linear tree in rank order 409.7 / 107.3 = 3.82 times as "
              "long (paper 1)", "chain in rank order", "chain", low=409.7 / 107.3, sizes=(M, M),
              places=("5-pairs",), why="four of its edges share a trunk in our reconstruction, and no more"),
        Claim("the binary tree in rank order is significantly slower (we say: 1.2 times)",
              "binary in rank order", "binary, Algorithm 2", low=1.2),
    ])
