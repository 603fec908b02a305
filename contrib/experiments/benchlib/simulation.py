"""
Broadcasts over trees between hosts whose processors take time, computed frame by frame: what the testbed's fabric and its
preloaded library (contrib/testbed/dilation.h) do, without MPI, sockets and this computer.

A rank does one thing at a time. It sends what it has, in order, to its children; then it reads what one parent has sent; else it
sleeps. A link passes one frame after the other, a switch each frame when it has all of it. A host takes frames at interrupts.
TCP acknowledges every second frame; it holds nothing back and loses nothing. Times are nanoseconds.
"""

import collections
import heapq

SEGMENT_HEADER, FRAME_HEADER, WIRE_OVERHEAD, LEAST_FRAME = 14, 66, 24, 60  # bytes: of MPI, of TCP, IP and Ethernet, of the wire
FRAME = 1448  # most of TCP's data
FRAMES_TO_ACKNOWLEDGE = 2


class Network:
    """A tree of switches. nodes: as `pipebcast show --json` has them; rate: bits per second of the lowest speed."""

    def __init__(self, nodes, rate, latency):
        self.above = {node["name"]: node["parent"] for node in nodes}
        self.rates = {node["name"]: rate * node.get("speed", 1) for node in nodes}
        self.latency = latency

    def _upwards(self, host):
        while self.above[host] is not None:
            yield host
            host = self.above[host]

    def path(self, sender, receiver):
        """Directed links: (the node below, whether it is left)."""
        up, down = list(self._upwards(sender)), list(self._upwards(receiver))
        while up and down and up[-1] == down[-1]:
            up.pop()
            down.pop()
        return [(node, True) for node in up] + [(node, False) for node in reversed(down)]

    def wire_time(self, link, data):
        return (max(data + FRAME_HEADER, LEAST_FRAME) + WIRE_OVERHEAD) * 8e9 / self.rates[link[0]]


class _Rank:
    def __init__(self, name):
        self.name = name
        self.children = collections.defaultdict(list)  # by stream
        self.ready = collections.deque()               # parents to read from before it sends again
        self.to_send = collections.deque()             # (segment, child)
        self.arrived = collections.deque()             # (parent, bytes, the segment that a frame ends, or None)
        self.busy_until, self.interrupted_at = 0.0, float("-inf")
        self.sleeps = True


class Broadcast:
    """streams: lists of (parent, child); host: costs by their names in a host file."""

    def __init__(self, network, streams, root, host):
        self.network, self.host, self.root = network, host, root
        self.n_streams = len(streams)
        self.ranks = {name: _Rank(name) for edges in streams for edge in edges for name in edge}
        for number, edges in enumerate(streams):
            for parent, child in edges:
                self.ranks[parent].children[number].append(child)
        self.events, self.n_events = [], 0
        self.free_at = collections.defaultdict(float)         # by link
        self.unacknowledged = collections.Counter()           # by (sender, receiver)
        self.size = self.segment = 0
        self.n_to_come = 0  # segments at all ranks

    def time(self, size, segment):
        """Until the last rank has the message."""
        self.size, self.segment = size, segment
        n_segments = -(-size // segment)
        self.n_to_come = n_segments * (len(self.ranks) - 1)
        for number in range(n_segments):
            self._pass_on(self.ranks[self.root], number)
        self._at(0, self._work, self.ranks[self.root])
        now = 0
        while self.n_to_come > 0:
            if not self.events:
                raise ValueError("the streams do not reach all ranks")
            now, _, act, arguments = heapq.heappop(self.events)
            act(now, *arguments)
        return now

    def _at(self, time, act, *arguments):
        self.n_events += 1
        heapq.heappush(self.events, (time, self.n_events, act, arguments))

    def _pass_on(self, rank, segment):
        rank.to_send.extend((segment, child) for child in rank.children[segment % self.n_streams])

    def _bytes(self, segment):
        return min(self.segment, self.size - segment * self.segment)

    def _work(self, now, rank):
        if now < rank.busy_until:
            return
        if rank.ready:
            self._read(now, rank)
        elif rank.to_send:
            self._send(now, rank, *rank.to_send.popleft())
        elif rank.arrived:
            rank.ready.extend(dict.fromkeys(parent for parent, *_ in rank.arrived))
            self._read(now, rank)
        else:
            rank.sleeps = True

    def _busy(self, rank, until):
        rank.busy_until, rank.sleeps = until, False
        self._at(until, self._work, rank)

    def _send(self, now, rank, segment, child):
        left = self._bytes(segment) + SEGMENT_HEADER
        start = now + self.host["send_call"]
        path = self.network.path(rank.name, child)
        while left > 0:
            data = min(FRAME, left)
            left -= data
            self._at(start, self._pass_frame, path, 0, data, (rank.name, child, segment if left == 0 else None))
        self._busy(rank, start + self.host["send_byte"] * self._bytes(segment))

    def _pass_frame(self, now, path, hop, data, what):
        """what: (sender, receiver, the segment that it ends); None: an acknowledgement."""
        link = path[hop]
        self.free_at[link] = max(now, self.free_at[link]) + self.network.wire_time(link, data)
        arrival = self.free_at[link] + self.network.latency
        if hop + 1 < len(path):
            self._at(arrival, self._pass_frame, path, hop + 1, data, what)
            return
        rank = self.ranks[link[0]]
        if arrival > rank.interrupted_at:
            rank.interrupted_at = max(arrival, rank.interrupted_at + self.host["interrupt"])
        if what is not None:
            self._at(rank.interrupted_at, self._take_frame, rank, data, what)

    def _take_frame(self, now, rank, data, what):
        sender, receiver, segment = what
        rank.arrived.append((sender, data, segment))
        self.unacknowledged[sender, receiver] += 1
        if self.unacknowledged[sender, receiver] == FRAMES_TO_ACKNOWLEDGE:
            self.unacknowledged[sender, receiver] = 0
            self._at(now, self._pass_frame, self.network.path(receiver, sender), 0, 0, None)
        self._at(now, self._work, rank)

    def _read(self, now, rank):
        """All that a parent has sent, in one call; once more where it ends within a segment and more is here."""
        parent = rank.ready[0]
        frames = [frame for frame in rank.arrived if frame[0] == parent]
        rank.arrived = collections.deque(frame for frame in rank.arrived if frame[0] != parent)
        done = now + self.host["receive_call"] + self.host["receive_byte"] * sum(data for _, data, _ in frames) \
            + (self.host["wake"] if rank.sleeps else 0)
        self._at(done, self._have_read, rank, parent, [segment for *_, segment in frames])
        self._busy(rank, done)

    def _have_read(self, _now, rank, parent, ended):
        if ended[-1] is not None or all(sender != parent for sender, *_ in rank.arrived):
            rank.ready.popleft()
        segments = [segment for segment in ended if segment is not None]
        for segment in segments:
            self._pass_on(rank, segment)
        self.n_to_come -= len(segments)
