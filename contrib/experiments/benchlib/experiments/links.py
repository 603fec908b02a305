"""Are the links' counters what the plans promise? Counts of bytes, no times."""

import os

from ..links import compare_links, counted_bytes, planned_loads, segment_of_frames, worst
from ..command import measure_at
from ..experiment import PIPEBCAST_SETTINGS, kinds_of
from ..methods import Method
from ..places import Testbed
from ..programs import TOPO, need_program
from ..progress import Progress
from ..report import write_json, write_rows, write_text
from ..run import run_bench

KINDS = ["chain", "binary", "kary", "twotree", "flat", "binomial", "rank_chain"]
TOPOLOGIES = ["1", "2", "3", "4", "5"]
# The long message has so many segments more than the short one: as many for each stream of any
# plan that has up to 6.
MORE_SEGMENTS = 60
TOLERANCE = 0.03


class Links:
    """
    Two runs of each kind of tree, alike but for the message: of one segment, and of
    MORE_SEGMENTS more. What the counters differ by is those segments, as start, barriers and end
    of the runs carry the same.
    """

    name = "links"
    figure = "no figure: the premise of papers 1 and 2, section 3"
    shows = ("Bytes that each directed link carried, by its counter, beside what the plan "
             "promises: the load times the message, with the headers of Open MPI, TCP, IP and "
             "Ethernet, and the acknowledgements of what goes the other way, one for each frame "
             "or for every second.")

    def run(self, options, directory):
        """Yields the exit status."""
        options.topo = need_program(options.topo, TOPO, "--topo")
        topologies = options.topologies or TOPOLOGIES
        kinds = kinds_of(options, KINDS)
        run = CablesRun(options, Progress([kind for _ in topologies for kind in kinds]))
        interrupted = False
        for topology in topologies:
            place = Testbed(options, topology)
            interrupted = measure_at(place, lambda p=place, t=topology: run.topology(p, t, kinds))
            if interrupted:
                break
        os.makedirs(directory, exist_ok=True)
        run.write(directory)
        print(run.text(options.links), flush=True)
        print(f"results: {directory}", flush=True)
        return 130 if interrupted else 0 if run.agree() else 1


class CablesRun:
    """The measurements of one call."""

    def __init__(self, options, progress):
        self.options = options
        self.progress = progress
        self.results = []  # (topology, kind, links, drops) or (topology, kind, None, failure)

    def _count(self, place, method, size):
        """Bytes on each link of some broadcasts of a message, with start and end of the run."""
        place.status("--reset")
        outcome = run_bench(place, method, ["--csv", "--mode", "loop", "--no-pingpong",
                                            "--warmup", "0", "--clock", "shared",
                                            "--iterations", str(self.options.iterations),
                                            "--sizes", str(size)],
                            1, self.options, 4 * self.options.patience)
        links = place.status("--reset")["links"]
        return outcome, counted_bytes(links), sum(link["drops"] for link in links)

    def _kind(self, place, topology, kind, mtu):
        segment = segment_of_frames(mtu, 1)
        method = Method(f"pipebcast:{kind}:{segment}", PIPEBCAST_SETTINGS)
        loads = planned_loads(self.options.topo, place.topology_file, kind, place.hosts)
        short, before, _ = self._count(place, method, segment)
        long, after, drops = self._count(place, method, (1 + MORE_SEGMENTS) * segment)
        short.seconds += long.seconds
        short.failure = short.failure or long.failure
        if short.failure:
            self.results.append((topology, kind, None, short.failure))
            return short
        counted = {ends: after[ends] - before[ends] for ends in after}
        n_segments = MORE_SEGMENTS * self.options.iterations
        self.results.append((topology, kind, compare_links(loads, counted, segment, n_segments,
                                                           mtu), drops))
        return short

    def topology(self, place, topology, kinds):
        mtu = place.status()["testbed"].get("mtu", 1500)
        for kind in kinds:
            self.progress.start(f"links of topology {os.path.basename(topology)}")
            self.progress.end(self._kind(place, topology, kind, mtu))

    def agree(self):
        return all(links is not None and abs(worst(links).deviation) <= TOLERANCE
                   for _, _, links, _ in self.results)

    def text(self, all_links):
        out = [f"{'topology':<10} {'kind':<13} {'links':>5} {'load':>6}  {'bytes planned':>24} "
               f"{'measured':>12} {'off':>8}  link that is off most"]
        for topology, kind, links, rest in self.results:
            head = f"{os.path.basename(topology):<10} {kind:<13} "
            if links is None:
                out.append(f"{head}FAILED: {rest}")
                continue
            shown = links if all_links else [worst(links)]
            for link in shown:
                low, high = link.planned
                out.append(f"{head}{len(links):>5} {link.load:>6.2f}  {low:>11.0f}..{high:>11.0f}"
                           f" {link.measured:>12} {100 * link.deviation:>7.2f}%  "
                           f"{link.sender} -> {link.receiver}"
                           + (f"; {rest} frames dropped" if rest else ""))
        out.append("")
        out.append("load: times the link carries the message; off: measured bytes outside of the "
                   "planned range, to the planned bytes (of one message at least).")
        out.append(self.summary())
        return "\n".join(out)

    def summary(self):
        known = [(worst(links), topology, kind)
                 for topology, kind, links, _ in self.results if links is not None]
        if not known:
            return "DISAGREE: nothing was measured"
        link, topology, kind = max(known, key=lambda entry: abs(entry[0].deviation))
        n_links = sum(len(links) for _, _, links, _ in self.results if links is not None)
        return (f"{'AGREE' if self.agree() else 'DISAGREE'}: {n_links} counters of "
                f"{len(known)} plans, worst off by {100 * link.deviation:.2f} % ({kind} on "
                f"{os.path.basename(topology)}, {link.sender} -> {link.receiver}); at most "
                f"{100 * TOLERANCE:g} % is wanted")

    def rows(self):
        return [{"topology": topology, "kind": kind, **link.record()}
                for topology, kind, links, _ in self.results if links for link in links]

    def write(self, directory):
        write_text(directory, "table.txt", self.text(all_links=True) + "\n")
        rows = self.rows()
        write_rows(os.path.join(directory, "results.csv"), rows, ["topology"])
        write_json(os.path.join(directory, "results.json"), {"experiment": "links", "rows": rows,
                                                          "summary": self.summary()})


LINKS = Links()
