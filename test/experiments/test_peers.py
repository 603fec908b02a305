#!/usr/bin/env python3
"""TAP test of comparisons with other broadcasts at their best: how they are run. All measurements are made up."""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../contrib/experiments"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from benchlib.methods import MPICH, Method, expand_methods
from benchlib.programs import find_mpich_mpirun
from benchlib.units import UserError

COUNT = [0, 0]


def eq(found, wanted, text):
    COUNT[0] += 1
    COUNT[1] += found != wanted
    print(f"{'' if found == wanted else 'not '}ok {COUNT[0]} - {text}", flush=True)
    if found != wanted:
        print(f"# found {found!r}, wanted {wanted!r}")


def refuses(text, what):
    try:
        Method(text)
        eq("taken", "refused", what)
    except UserError:
        eq(True, True, what)


def test_methods():
    ring = Method("mpich:ring:1426").launch(None)
    eq([ring[i:i + 3] for i in range(0, len(ring), 3)
        if "CHUNK" in ring[i + 1]], [["-genv", "MPIR_CVAR_IBCAST_RING_CHUNK_SIZE", "1426"]],
       "MPICH has variables of its environment, the segment size among them")
    eq([Method("mpich:binomial").mca(None).get("MPIR_CVAR_COLLECTIVE_FALLBACK"), Method("mpich").mca(None)],
       ["error", {}], "an algorithm of MPICH is forced, or fails; its own choice is left alone")
    eq([Method("libnbc:chain").bench_arguments, Method("libnbc:chain").mca(None)
        ["coll_libnbc_ibcast_algorithm"], Method("tuned").bench_arguments], [["--op", "ibcast"], "3", []],
       "libnbc is measured by MPI_Ibcast")
    refuses("mpich:binomial:1426", "segments of an algorithm that has none are refused")
    refuses("libnbc:chain:1426", "and of libnbc")
    refuses("han:chain", "an algorithm of han is refused")
    circulant = Method("mpich:circ_graph:1426").mca(None)
    eq([circulant["MPIR_CVAR_BCAST_INTRA_ALGORITHM"], circulant["MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE"],
        circulant["MPIR_CVAR_COLLECTIVE_FALLBACK"]], ["circ_graph", "1426", "error"],
       "MPICH's circulant graph has chunks, and nothing in its place")
    eq("MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE" in Method("mpich:circ_graph").mca(None), False, "or its own size of them")
    eq([[len({f"mpich:{name}:1426"} & {method.name for method in expand_methods(known, [1426])})
         for name in ("ring", "pipelined_chain", "circ_graph")] for known in ("mpich-4.0", "mpich-5.0", "mpich-5.1")],
       [[1, 0, 0], [1, 1, 0], [1, 1, 1]], "the set of a version has what the version has")
    names = [method.name for method in expand_methods("mpich-5.1", [1426, 2874])]
    eq([names.count(f"mpich:{name}:2874") for name in MPICH],
       [int(chunk is not None) for _, chunk in MPICH.values()],
       "each algorithm of MPICH that has segments is tried with each size")


def test_mpich():
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "bin"))
        mpirun = os.path.join(directory, "bin", "mpirun")
        missing = ""
        try:
            find_mpich_mpirun(None, directory)
        except UserError as error:
            missing = str(error)
        eq(mpirun in missing, True, "a directory without MPICH is refused, and what is missing there reported")
        with open(mpirun, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o755)
        eq([find_mpich_mpirun(None, directory), find_mpich_mpirun("mine", directory), find_mpich_mpirun(None, None)],
           [mpirun, "mine", "mpirun.mpich"], "MPICH's mpirun is named, or in its directory, or the system's")


def main():
    for test in (test_methods, test_mpich):
        test()
    print(f"1..{COUNT[0]}")
    return 1 if COUNT[1] else 0


if __name__ == "__main__":
    sys.exit(main())
