"""Paper 2, Figure 16: how much the segment size matters."""

from ..claims import Claim
from ..experiment import Figure
from ..units import bytes_text

K = 1024
SEGMENTS = [512, 1 * K, 2 * K, 4 * K, 8 * K]


def chain(segment):
    return f"chain, {bytes_text(segment)}"


FIG16 = Figure(
    name="p2-fig16",
    figure="paper 2, Figure 16",
    places=("1", "3"), sizes="32K:1M",
    lines={**{chain(segment): f"pipebcast:chain:{segment}" for segment in SEGMENTS}, "tuned": "tuned"},
    claims=[
        *[Claim(f"from 512 B to 2 KB the segment size does not matter much (we say: {bytes_text(segment)} is within 1.5 times "
                "the fastest of the three, at 256 KB)", chain(segment), tuple(chain(size) for size in SEGMENTS[:3]), high=1.5,
                sizes=(256 * K, 256 * K)) for segment in SEGMENTS[:3]],
        *[Claim(f"another algorithm matters more: with {bytes_text(segment)} the linear tree is faster than tuned", "tuned", chain(segment), low=1)
          for segment in SEGMENTS],
    ])
