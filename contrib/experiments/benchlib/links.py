"""
What the links carry: the load that a plan promises for each directed link, and the bytes that
the link's counter saw.
"""

import subprocess

from .units import UserError

# Bytes before a segment: Open MPI's matching header (pml/ob1) and its TCP transport's (btl/tcp).
SEGMENT_HEADERS = 14 + 8
# Bytes of a frame that are not TCP's payload: Ethernet, IP, TCP with timestamps. An
# acknowledgement is nothing else.
FRAME_HEADERS = 14 + 20 + 32
# TCP acknowledges each full frame, or every second one.
ACKS_PER_FRAME = (0.5, 1.0)


# Of a frame on a link: Ethernet's header, preamble, check sequence and gap.
WIRE_OVERHEAD = 14 + 24


def payload_of_frame(mtu):
    return mtu + 14 - FRAME_HEADERS


def wire_of_frame(mtu):
    """The bytes for which a full frame occupies a link."""
    return mtu + WIRE_OVERHEAD


def least_us(size, rate, mtu):
    """The microseconds that a link of `rate` bits per second takes for a message in full frames."""
    return 8e6 * size * wire_of_frame(mtu) / payload_of_frame(mtu) / rate


def segment_of_frames(mtu, n_frames):
    """The segment that fills so many frames to the last byte, however TCP cuts its stream."""
    return n_frames * payload_of_frame(mtu) - SEGMENT_HEADERS


def parse_loads(text):
    """`pipebcast-topo load`: {(from, to): how many times the link carries the message}."""
    loads = {}
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#") or words[:2] == ["from", "to"] or not words:
            continue
        try:
            loads[words[0], words[1]] = float(words[4])
        except (IndexError, ValueError):
            raise UserError(f"pipebcast-topo load printed a line that is no link: '{line}'") \
                from None
    return loads


def planned_loads(program, topology_file, kind, hosts):
    """hosts are in the order of ranks; the first is the root."""
    command = [program, "load", topology_file, "--algorithm", kind, "--root", hosts[0],
               "--hosts", ",".join(hosts)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise UserError(f"{program} load --algorithm {kind} failed: {done.stderr.strip()}")
    return parse_loads(done.stdout)


class Link:
    """One directed link: planned and measured bytes of n_segments segments of `segment` bytes."""

    def __init__(self, ends, load, back, measured, segment, n_segments, mtu):
        """load and back: times the message passes this link, and the link the other way."""
        frames = n_segments * (segment + SEGMENT_HEADERS) / payload_of_frame(mtu)
        self.sender, self.receiver = ends
        self.load = load
        self.measured = measured
        self.one_pass = n_segments * (segment + SEGMENT_HEADERS) + frames * FRAME_HEADERS
        acks = back * frames * FRAME_HEADERS
        self.planned = [load * self.one_pass + share * acks for share in ACKS_PER_FRAME]

    @property
    def deviation(self):
        """How far the measured bytes are outside of what is planned, as a share of it."""
        low, high = self.planned
        outside = min(self.measured - low, 0) + max(self.measured - high, 0)
        return outside / (max(1.0, self.load) * self.one_pass)

    def record(self):
        return {"from": self.sender, "to": self.receiver, "load": self.load,
                "planned_least": round(self.planned[0]), "planned_most": round(self.planned[1]),
                "measured": self.measured, "deviation": round(self.deviation, 5)}


def counted_bytes(links):
    """{(from, to): bytes} of what the testbed counted, those of parallel links together."""
    counted = {}
    for link in links:
        ends = (link["from"], link["to"])
        counted[ends] = counted.get(ends, 0) + link["bytes"]
    return counted


def compare_links(loads, counted, segment, n_segments, mtu):
    """counted: {(from, to): bytes}. Both must name the same links."""
    if set(loads) != set(counted):
        odd = sorted(set(loads) ^ set(counted))[0]
        raise UserError(f"the plan and the testbed do not have the same links: {odd[0]} to {odd[1]}")
    return [Link(ends, load, loads[ends[1], ends[0]], counted[ends], segment, n_segments, mtu)
            for ends, load in loads.items()]


def worst(links):
    return max(links, key=lambda link: abs(link.deviation))
