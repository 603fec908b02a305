"""The model: measuring it by pipebcast-tune on a testbed, reading it, and what it predicts."""

import os
import subprocess
import sys

from .programs import TOPO, TUNE, need_program
from .units import UserError, bytes_text


class Row:
    """What messages of one size cost, in ns, as the model file has it."""

    def __init__(self, values):
        self.bytes, self.gap, self.rtt, self.both, self.send, self.receive = values

    @property
    def latency(self):
        return max(self.rtt // 2 - self.gap, 0)


def read_costs(path):
    """{place: {bytes: Row}} of a model file; whether it is well formed, its readers in C check."""
    places, rows = {}, None
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.partition("#")[0].split()
                if words[:1] == ["place"]:
                    rows = places.setdefault(words[1], {})
                elif words[:1] == ["cost"]:
                    row = Row([int(word) for word in words[1:]])
                    rows[row.bytes] = row
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise UserError(f"{path} is no model file of pipebcast-tune: {error}") from None
    if not places.get("switch"):
        raise UserError(f"{path} is no model file of pipebcast-tune: there is no place 'switch'")
    return places


def tune(place, options, path, arguments=()):
    """Measures a model on a testbed that is up, into the file `path`; progress goes to stderr."""
    program = need_program(options.tune, TUNE, "--tune")
    command = place.mpirun(options.mpirun_arg + [program, "--topology", place.topology_file,
                                                 "--output", os.path.abspath(path), *arguments])
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise UserError(f"pipebcast-tune failed with exit code {done.returncode}")
    print(done.stdout, file=sys.stderr, flush=True)


class Candidate:
    """A line of `pipebcast-topo explain`: segment is None for the fallback component."""

    def __init__(self, kind, segment, predicted_us, chosen):
        self.kind = kind
        self.segment = segment
        self.predicted_us = predicted_us
        self.chosen = chosen

    @property
    def name(self):
        return f"{self.kind}:{self.segment}" if self.segment else self.kind


def parse_candidates(text):
    """What `pipebcast-topo explain` printed: [Candidate]."""
    candidates = []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#") or not words or words[0] == "algorithm":
            continue
        try:
            segment = None if words[1] == "-" else int(words[1])
            candidates.append(Candidate(words[0], segment, 1e3 * float(words[3]),
                                        "chosen" in words[4:]))
        except (IndexError, ValueError):
            raise UserError("pipebcast-topo explain printed a line that is no candidate: "
                            f"'{line}'") from None
    return candidates


class Predictor:
    """What a model predicts on a testbed, for broadcasts from its first host."""

    def __init__(self, options, place, model):
        self.command = [need_program(options.topo, TOPO, "--topo"), "explain",
                        place.topology_file, "--model", model, "--root", place.hosts[0],
                        "--hosts", ",".join(place.hosts)]

    def _explain(self, size, *arguments):
        done = subprocess.run([*self.command, "--sizes", str(size), *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0:
            raise UserError(f"pipebcast-topo explain --sizes {size} failed: {done.stderr.strip()}")
        return parse_candidates(done.stdout)

    def chosen(self, size):
        """The candidate that is chosen for messages of a size."""
        found = [candidate for candidate in self._explain(size) if candidate.chosen]
        if len(found) != 1:
            raise UserError(f"pipebcast-topo explain --sizes {size} chose {len(found)} candidates")
        return found[0]

    def time_us(self, kind, segment, size):
        """The predicted time of a kind of tree with a segment size."""
        found = [candidate for candidate in self._explain(size, "--algorithm", kind, "--segment",
                                                          str(segment))
                 if candidate.kind == kind]
        if not found:
            raise UserError(f"pipebcast-topo explain has no prediction of {kind} with segments of "
                            f"{segment} bytes for {bytes_text(size)}")
        return found[0].predicted_us


class Tuned:
    """A topology with its model: the user's (--model), or one that is measured."""

    def __init__(self, options, place, topology, directory):
        self.options = options
        self.place = place
        self.path = options.model or os.path.join(directory, f"model-topology{topology}.txt")
        self.path = os.path.abspath(self.path)

    def prepare(self, *arguments):
        """With the testbed up: measures unless there is a model. Yields a Predictor."""
        if not self.options.model:
            tune(self.place, self.options, self.path, arguments)
        return Predictor(self.options, self.place, self.path)
