"""What pipebcast-topo says."""

import json
import subprocess

from .units import UserError


def ask(program, command, *arguments):
    """Its JSON as Python has it."""
    done = subprocess.run([program, command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise UserError(f"{program} {command} failed: {done.stderr.strip()}") from None


def planned_streams(program, topology_file, kind, hosts, *more):
    """The edges of each stream of a plan from the first host, from and to, parents in the order in which they send. more: options of tree."""
    tree = ask(program, "tree", topology_file, "--algorithm", kind, "--root", hosts[0], "--hosts", ",".join(hosts), "--format", "json", *more)
    return [stream["edges"] for stream in tree["streams"]]
