"""Broadcasts at the same time: what links must carry, and how long plans take that share them."""

import collections
import heapq
import itertools

from .topo import ask


def beyond(links, link):
    """All that one comes to behind a directed link of a tree, whose directed links these are."""
    found, open_ends = set(link), [link[1]]
    while open_ends:
        end = open_ends.pop()
        further = {to for start, to in links if start == end} - found
        found |= further
        open_ends += further
    return found - {link[0]}


def forced_load(links, groups):
    """
    How many messages the busiest link must carry, whatever the trees: for each directed link, those
    of the groups (hosts, the root first) that have their root on this side and anybody on the other.
    """
    loads = []
    for link in links:
        behind = beyond(links, link)
        loads.append(sum(group[0] not in behind and bool(behind.intersection(group))
                         for group in groups))
    return max(loads)


def begun_with(program, topology_file, size, hosts, n_alike):
    """
    The tree that auto begins with for a message from the first host to the others, where so many such
    communicators may broadcast at once: over links so slow that these count alone.
    """
    answer = ask(program, "explain", topology_file, "--sizes", str(size), "--root", hosts[0], "--hosts",
                 ",".join(hosts), "--alike", str(n_alike), "--speed", "1", "--json")
    candidates = answer["messages"][0]["candidates"]
    return next(each["algorithm"] for each in candidates if each["chosen"])


class Ways:
    """Paths through a tree, of which each pair of ends is looked for once."""

    def __init__(self, links):
        self.next_to = {}
        for start, end in links:
            self.next_to.setdefault(start, []).append(end)
        self.known = {}

    def links(self, start, end):
        """The directed links from one end to another."""
        if (start, end) not in self.known:
            before, reached = {start: None}, [start]
            for at in reached:
                new = [to for to in self.next_to[at] if to not in before]
                before.update((to, at) for to in new)
                reached += new
            way = [end]
            while way[-1] != start:
                way.append(before[way[-1]])
            way.reverse()
            self.known[start, end] = list(zip(way, way[1:]))
        return self.known[start, end]


class Broadcast:
    """One of those that run at the same time: its children by stream and host."""

    def __init__(self, root, streams):
        self.root = root
        self.children = []
        for edges in streams:
            below = {}
            for parent, child in edges:
                below.setdefault(parent, []).append(child)
            self.children.append(below)

    def receivers(self, segment, host):
        return self.children[segment % len(self.children)].get(host, [])


def completion(links, broadcasts, n_segments, cost=None):
    """
    When the last host has all its segments, in times of a segment on a link, or by cost, {link: (time of a segment,
    latency)}: hosts send each segment
    to all children as soon as they have it, links carry one after the other in the order in which
    they come, switches store and forward them. Neither acknowledgements nor windows are in it.
    """
    ways, events, free_at = Ways(links), [], {}
    n_events = last = 0

    def send(now, broadcast, segment, host):
        nonlocal n_events
        for child in broadcast.receivers(segment, host):
            n_events += 1
            heapq.heappush(events, (now, n_events, broadcast, segment, ways.links(host, child), 0))

    for broadcast in broadcasts:
        for segment in range(n_segments):
            send(0, broadcast, segment, broadcast.root)
    while events:
        now, number, broadcast, segment, way, done = heapq.heappop(events)
        if done == len(way):
            last = max(last, now)
            send(now, broadcast, segment, way[-1][1])
            continue
        begun = max(now, free_at.get(way[done], 0))
        took, latency = cost[way[done]] if cost else (1, 0)
        free_at[way[done]] = begun + took
        heapq.heappush(events, (begun + took + latency, number, broadcast, segment, way, done + 1))
    return last


# Orders of one communicator that are looked at, and rounds over the communicators.
MOST_ORDERS, ROUNDS = 500, 3


def depth_first_orders(ways, group):
    """
    The group's depth-first orders from its root: at each switch its own hosts come first, then what
    is behind its links, in any order.
    """
    root, *others = group
    below = {}
    for host in others:
        way = [root, *(end for _, end in ways.links(root, host))]
        for start, end in zip(way, way[1:]):
            below.setdefault(start, {})[end] = None

    def orders(at):
        hosts = [end for end in below.get(at, []) if end not in below]
        for branches in itertools.permutations(end for end in below.get(at, []) if end in below):
            for parts in itertools.product(*(list(orders(end)) for end in branches)):
                yield [*hosts, *itertools.chain(*parts)]

    return [[root, *order] for order in itertools.islice(orders(root), MOST_ORDERS)]


def chosen_together(links, groups):
    """
    A chain for each group, by one who knows them all: each in turn takes the order with which the
    sum of the fourth powers of the links' loads is least, some rounds over.
    """
    ways, total, chosen = Ways(links), collections.Counter(), {}
    orders = [depth_first_orders(ways, group) for group in groups]

    def loads(order):
        return collections.Counter(link for pair in zip(order, order[1:]) for link in ways.links(*pair))

    def cost(order):
        return sum((total[link] + load) ** 4 - total[link] ** 4 for link, load in loads(order).items())

    for _ in range(ROUNDS):
        for number, candidates in enumerate(orders):
            if number in chosen:
                total.subtract(loads(chosen[number]))
            chosen[number] = min(candidates, key=cost)
            total.update(loads(chosen[number]))
    return [Broadcast(order[0], [list(zip(order, order[1:]))]) for order in chosen.values()]
