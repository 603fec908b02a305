"""The gap g(m) as paper 2 measures it, at the sender, beside ours, where messages arrive."""

import json
import os
import subprocess

from ..claims import INTERRUPTED, Claim, judge
from ..command import measure_at
from ..conclusion import conclude
from ..places import Testbed
from ..programs import TUNE, need_program
from ..units import UserError, bytes_text

K = 1024
TOPOLOGY = "1"
SIZES = [256, K, 4 * K, 16 * K]
NUMBERS = [10, 100, 1000]  # messages; the paper's 100,000 of 32 KB are 73 minutes at 10 Mbit/s
OURS = "g"
TIME_LIMIT = 30  # seconds of pipebcast-tune, beside the sender's messages


def sender(n_messages):
    return f"sender's g, {n_messages} messages"


def read_gaps(text):
    """{bytes: (gap, sender's gap)} in us, of what pipebcast-tune --json printed for two hosts of a switch."""
    try:
        rows = next(place["rows"] for place in json.loads(text)["places"] if place["place"] == "switch")
        return {row["bytes"]: (1e3 * row["gap_ms"], 1e3 * row["sender_gap_ms"]) for row in rows}
    except (ValueError, KeyError, StopIteration):
        raise UserError("pipebcast-tune --json printed no gaps of the sender") from None


class Gap:
    """Measured between two hosts of one switch."""

    name = "p2-gap"
    figure = "paper 2, section 5.1, g(m)"
    shows = ("From one message to the next: where they arrive, without the first quarter of them, as "
             "pipebcast-tune has it, and until the sender has handed all of them over, as in the paper.")
    claims = [
        Claim(f"over {max(NUMBERS)} messages the sender's g is that of the arrivals (we say: within 5 %)",
              sender(max(NUMBERS)), OURS, low=1 / 1.05, high=1.05, sizes=(K, None), said="ours"),
        Claim("over fewer messages it is less, as buffers take some (we say: at most 1.02 times)",
              tuple(map(sender, NUMBERS[:-1])), OURS, high=1.02, said="ours"),
    ]

    @staticmethod
    def _gaps(options, place, program, directory, n_messages):
        model = os.path.abspath(os.path.join(directory, f"model-{n_messages}.txt"))
        command = place.mpirun(options.mpirun_arg + [
            program, "--topology", place.topology_file, "--output", model, "--no-fallback", "--json",
            "--sizes", ",".join(map(str, SIZES)), "--time-limit", str(TIME_LIMIT),
            "--sender-gap", str(n_messages)])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0:
            raise UserError(f"pipebcast-tune failed with exit code {done.returncode}")
        return read_gaps(done.stdout)

    def measure(self, options, directory):
        """{messages: {bytes: (gap, sender's gap)}}, the topology, and whether it was interrupted."""
        topology = options.topologies[0] if options.topologies else TOPOLOGY
        options.np = 2
        place = Testbed(options, topology)
        program = need_program(options.tune, TUNE, "--tune")
        os.makedirs(directory, exist_ok=True)
        found = {}

        def measure_all():
            for n_messages in NUMBERS:
                found[n_messages] = self._gaps(options, place, program, directory, n_messages)
        return found, topology, measure_at(place, measure_all)

    @staticmethod
    def time_us(found, name, size):
        """
        Ours is the one that was measured beside the most messages. None where pipebcast-tune had no time
        left for the size.
        """
        if name == OURS:
            return found[max(found)].get(size, (None, None))[0]
        return next((of[size][1] for n, of in found.items() if sender(n) == name and size in of), None)

    def table(self, found):
        out = [f"{'message':<8}{'g, ms':>10}" + "".join(f"{f'sender, {n}':>16}" for n in found)]
        for size in SIZES:
            ours = self.time_us(found, OURS, size)
            if ours is None:
                continue
            out.append(f"{bytes_text(size):<8}{ours / 1e3:>10.3f}" + "".join(
                f"{of[size][1] / 1e3:>9.3f}{of[size][1] / ours:>7.2f}" if size in of else f"{'-':>16}"
                for of in found.values()))
        return out + ["", "sender, N: over N messages, ms, and over ours"]

    def run(self, options, directory):
        """Yields the exit status."""
        found, topology, interrupted = self.measure(options, directory)
        if interrupted:
            return INTERRUPTED
        verdicts = [judge(claim, [(topology, size) for size in SIZES],
                          lambda _, name, size: self.time_us(found, name, size)) for claim in self.claims]
        rows = [{"bytes": size, "messages": n, "gap_us": of[size][0], "sender_gap_us": of[size][1]}
                for n, of in found.items() for size in SIZES if size in of]
        return conclude(self, directory, self.table(found), verdicts, {"rows": rows},
                        where=f", topology ({topology})")


GAP = Gap()
