"""Trees in a file of advice, whose form contrib/adaptive/advice/advice.h describes."""

import glob
import os
from collections import Counter

from .units import UserError


class AdvisedTree:
    """What is advised for one root and size: the edges of each of its streams, (parent, child)."""

    def __init__(self, segment, streams):
        self.segment = segment
        self.streams = streams

    def cluster_edges(self, cluster_of):
        """How often each stream's tree goes from a cluster to another one: a Counter for each stream."""
        return [Counter((cluster_of(a), cluster_of(b)) for a, b in edges if cluster_of(a) != cluster_of(b))
                for edges in self.streams]


def _trees(lines):
    """(root, least, most, AdvisedTree) of each."""
    out = []
    for words in map(str.split, lines):
        if words[0] == "tree":
            _, root, _, least, _, most, _, segment, _, n_streams = words
            out.append((root, int(least), int(most),
                        AdvisedTree(int(segment), [[] for _ in range(int(n_streams))])))
        elif words[0] == "edge":
            out[-1][3].streams[int(words[1])].append((words[2], words[3]))
    return out


def read_advised(directory, root, size):
    """The tree for messages of `size` bytes from a root in the one file of advice of a directory."""
    paths = glob.glob(os.path.join(directory, "advice-*"))
    if len(paths) != 1:
        raise UserError(f"{directory} has {len(paths)} files of advice, and not one")
    with open(paths[0], encoding="utf-8") as file:
        found = [tree for of, least, most, tree in _trees(file) if of == root and least <= size <= most]
    if not found:
        raise UserError(f"{paths[0]} has no tree for {size} bytes from {root}")
    return found[0]
