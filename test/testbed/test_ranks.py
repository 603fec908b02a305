"""Several ranks on a host: however they are mapped, and whichever of them take part, no link
carries a message more than once each way. Counts of bytes, no times."""

import functools
import os

from cluster import IS_LONG, main, need_program, need_testbed, plugin_path, status, tap, tool, write

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PROGRAM = os.path.join(BUILD, "test/mpi/run_mapped")
RECORDED = os.path.join(os.environ["PIPEBCAST_SRCDIR"], "test/communicator/hwloc/two_packages.xml")

BYTES, N_BROADCASTS = 1 << 18, 4
# Headers of frames, of TCP and IP, and of messages, and acknowledgements of what goes the other
# way. A message that crosses a link twice has far more.
MOST = 1.15
TOPOLOGIES = {
    "one switch": "SwitchName=s0 Nodes=n[0-3]\n",
    "two switches": "SwitchName=s0 Nodes=n[0,2] Switches=s1\nSwitchName=s1 Nodes=n[1,3]\n",
}
# Ranks of a host are on both packages in turn: neighbors in rank order are not neighbors by location.
PROCESSORS = "0,8,2,10,1,9,3,11"


@functools.lru_cache(None)
def carried_by_start(path, ppn, mapping):
    """What a job takes whose only broadcast has one byte."""
    return carried(path, ppn, mapping, "twotree", 0, 100, n_broadcasts=1, n_bytes=1)


def carried(path, ppn, mapping, algorithm, seed, percent, n_broadcasts=N_BROADCASTS, n_bytes=BYTES):
    """Bytes of every directed link while a job ran, or None if it failed."""
    before = status()["links"]
    parameters = {
        "coll": "pipebcast,tuned",
        "mca_base_component_path": plugin_path(),
        "coll_pipebcast_topology_file": path,
        "coll_pipebcast_algorithm": algorithm,
        "coll_pipebcast_segment_size": "2874",
        "coll_pipebcast_arrival": "off",
        "coll_pipebcast_processors": PROCESSORS,
    }
    answer = tool(
        "mpirun", "--name", "t", "--ppn", str(ppn), "--timeout", "60", "--", *mapping,
        *[word for item in parameters.items() for word in ("--mca", *item)],
        PROGRAM, str(n_broadcasts), str(n_bytes), str(seed), str(percent),
        env=dict(os.environ, HWLOC_XMLFILE=RECORDED),
    )  # fmt: skip
    if answer.returncode != 0 or "PASS" not in answer.stdout:
        tap.note(answer.stdout + answer.stderr)
        return None
    after = status()["links"]
    return {link: after[link]["bytes"] - before[link]["bytes"] for link in after}


def is_any(_link):
    return True


def leads_to_host(link):
    return link[1].startswith("n")


def worst_link(*job, counts=is_any):
    """The most that a directed link that counts carries of one broadcast, in messages, and which."""
    start, some = carried_by_start(*job[:3]), carried(*job)
    if start is None or some is None:
        return None
    return max(((some[link] - start[link]) / N_BROADCASTS / BYTES, link) for link in some if counts(link))


def expect(text, *job, counts=is_any, what="no link carries more than the message each way"):
    worst = worst_link(*job, counts=counts)
    tap.ok(worst is not None and worst[0] < MOST, f"{text}: {what}")
    if worst is not None:
        tap.note(f"at most {worst[0]:.3f} messages, from {worst[1][0]} to {worst[1][1]}")


CORE = ("--map-by", "core:OVERSUBSCRIBE", "--bind-to", "none")
NODE = ("--map-by", "node", "--bind-to", "none")


def check_mappings(name, path):
    """As mpirun maps ranks by itself: in the order of their hosts, or dealt out."""
    expect(f"{name}, a rank on each host", path, 1, NODE, "twotree", 0, 100)
    for ppn in 2, 4:
        expect(f"{name}, {ppn} ranks on each, by core", path, ppn, CORE, "twotree", 0, 100)
        expect(f"{name}, {ppn} ranks on each, by node", path, ppn, NODE, "twotree", 0, 100)


def check_orders(name, path):
    """Whatever order and selection of ranks."""
    expect(f"{name}, 4 ranks on each, in any order", path, 4, CORE, "twotree", 1, 100)
    expect(f"{name}, the same as a chain", path, 4, CORE, "chain", 1, 100)
    # A rank of a binary tree sends to two others, but into no host twice.
    expect(f"{name}, the same as a binary tree", path, 4, CORE, "binary", 1, 100,
           counts=leads_to_host, what="no host gets the message twice")  # fmt: skip
    for seed in (2, 3) if IS_LONG else (2,):
        expect(f"{name}, some of the ranks ({seed})", path, 4, NODE, "twotree", seed, 60)
    expect(f"{name}, 13 ranks", path, 4, ("-np", "13", *CORE), "twotree", 0, 100)


def up(name):
    path = write(name.replace(" ", "_") + ".conf", TOPOLOGIES[name])
    tool("up", "--topology", path, "--name", "t", "--rate", "50mbit", "--ppn", "4")
    return path


def run():
    if IS_LONG:
        path = up("one switch")
        check_mappings("one switch", path)
        check_orders("one switch", path)
        tool("down", "--name", "t")
    path = up("two switches")
    if IS_LONG:
        check_mappings("two switches", path)
    check_orders("two switches", path)
    worst = worst_link(path, 4, NODE, "rank_chain", 1, 100)
    tap.ok(worst is not None and worst[0] > MOST, "a chain in rank order that is not mapped so is seen")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
