"""The model of pipebcast-tune: reading it, and what it predicts."""

import json
import subprocess

from .units import UserError


class Row:
    """What messages of one size cost, in ns, as the model file has it."""

    def __init__(self, values):
        self.bytes, self.gap, self.rtt, self.both, self.send, self.receive = values

    @property
    def latency(self):
        return max(self.rtt // 2 - self.gap, 0)


def read_costs(path):
    """{bytes: Row} of two hosts on a switch, of a model file; whether it is well formed, its readers in C check."""
    rows, place = {}, None
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.partition("#")[0].split()
                if words[:1] == ["place"]:
                    place = words[1]
                elif words[:1] == ["cost"] and place == "switch":
                    row = Row([int(word) for word in words[1:]])
                    rows[row.bytes] = row
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise UserError(f"{path} is no model file of pipebcast-tune: {error}") from None
    if not rows:
        raise UserError(f"{path} is no model file of pipebcast-tune: there is no place 'switch'")
    return rows


def predicted_ns(topo, topology_file, hosts, model, kind, segment, size):
    """What a model predicts for a kind of tree with a segment size, from the first of the hosts."""
    command = [topo, "explain", topology_file, "--model", model, "--root", hosts[0], "--hosts", ",".join(hosts), "--sizes", str(size),
               "--algorithm", kind, "--segment", str(segment), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        candidates = json.loads(done.stdout)["messages"][0]["candidates"]
        return 1e6 * next(each["predicted_ms"] for each in candidates if each["algorithm"] == kind)
    except (ValueError, KeyError, IndexError, StopIteration):
        raise UserError(f"pipebcast-topo explain has no prediction of {kind} with segments of {segment} bytes: "
                        f"{done.stderr.strip()}") from None
