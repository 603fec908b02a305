"""What links carry: bytes of frames."""

# Bytes before a segment: Open MPI's matching header (pml/ob1) and its TCP transport's (btl/tcp).
SEGMENT_HEADERS = 14 + 8
# Bytes of a frame that are not TCP's payload: Ethernet, IP, TCP with timestamps.
FRAME_HEADERS = 14 + 20 + 32
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
