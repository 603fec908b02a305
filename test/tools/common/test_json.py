#!/usr/bin/env python3
"""TAP: what --json prints has the figures of the text, and only members that doc/json.md explains.

ADVISOR, BENCH, COUNTERS and TOPO name the programs, TOPOLOGIES the directory of the five topologies, PLUGINDIR
that of the plugin; `make check` sets them. Jobs run only where tests with MPI are wanted.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.insert(0, str(HERE.parents[1]))

# pylint: disable=wrong-import-position
from tap import Tap

PAGE = (TOP / "doc" / "json.md").read_text()
TOPOLOGIES = pathlib.Path(os.environ.get("TOPOLOGIES", TOP / "contrib" / "testbed")).resolve()
GOLDEN = TOP / "test" / "tools" / "topo" / "golden"
MANY = re.compile(r"(\d+) (hosts?|switch(?:es)?|ranks?)\b")


def run(*command, status=0):
    answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120,
                            stdin=subprocess.DEVNULL, cwd=TOPOLOGIES)
    if answer.returncode != status:
        print(f"# {' '.join(map(str, command))}: {answer.returncode}\n# {answer.stderr.strip()}")
    return answer.stdout if answer.returncode == status else ""


def numbers(text):
    """{"hosts": 32, "switches": 4} of "32 hosts on 4 switches"."""
    plural = {"host": "hosts", "switch": "switches", "rank": "ranks"}
    return {plural.get(word, word): int(n) for n, word in MANY.findall(text)}


def rows(text):
    """The words of each line that is no comment."""
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def members(value):
    """The names of all members, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(members, value.values()))
    return set().union(*map(members, value)) if isinstance(value, list) else set()


def is_near(shown, number, digits):
    """Whether the text shows the number, with its digits behind the point."""
    if shown == "-" or number is None:
        return shown == "-" and number is None
    return abs(float(shown) - number) <= 0.5001 * 10 ** -digits


class Documents:
    """Reads documents, and checks what all of them have in common."""

    def __init__(self, tap):
        self.tap = tap

    def read(self, text, program, on_page=True):
        """A document; that the page explains it, unless it is of a command for developers."""
        name = program.removeprefix("pipebcast ")
        try:
            found = json.loads(text)
        except ValueError as error:
            self.tap.ok(False, f"{name}: one JSON object: {error}")
            return {}
        self.tap.eq([found.get("format"), found.get("program")], [1, program], f"{name}: format and program")
        if not on_page:
            return found
        part = re.search(rf"^### {program}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL).group(1)
        explained = set(re.findall(r"`(\w+)`", part + PAGE.split("## Networks")[0]))
        self.tap.eq(sorted(members(found) - explained), [], f"{name}: doc/json.md has all members")
        return found


def test_check(tap, documents, topo):
    for path in (TOPOLOGIES / "topology4.conf", GOLDEN / "bundles.conf", GOLDEN / "speeds.conf", GOLDEN / "faulty.conf"):
        text = run(topo, "check", path)
        found = documents.read(run(topo, "check", path, "--json"), "pipebcast check")
        first, *rest = text.splitlines()
        tap.eq({name: found.get(name) for name in ("hosts", "switches")}, numbers(first), f"{path.name}: hosts, switches")
        tap.eq(found.get("notes", []) + [f"warning: {w}" for w in found.get("warnings", [])] + found.get("remarks", []),
               rest, f"{path.name}: what follows")
        tap.eq([found.get("file"), found.get("n_errors"), found.get("flat")], [str(path), 0, False], f"{path.name}: no error")
    path = os.devnull  # It describes no switch.
    found = documents.read(run(topo, "check", path, "--json", status=1), "pipebcast check")
    *errors, last = run(topo, "check", path, status=1).splitlines()
    tap.eq(found.get("errors"), errors, "errors are those of the text")
    tap.eq(last, f"{path}: {found.get('n_errors')} error", "and as many")
    refused = subprocess.run([topo, "check", "nowhere.conf", "--json"], check=False, capture_output=True, text=True,
                             timeout=60, cwd=TOPOLOGIES)
    tap.eq([refused.returncode, refused.stdout], [1, ""], "no document of a file that cannot be read")


# In the name of a file, and in JSON.
TEXTS = {"quotes": (b'a"b\\c', 'a"b\\c'), "UTF-8": ("\xe9\u20ac\U0001f600".encode(), "\xe9\u20ac\U0001f600"), "a control character": (b"a\nb", "a\nb"),
         "a stray byte": (b"a\xff", "a?"), "a cut character": (b"a\xc3", "a?"), "an overlong character": (b"\xc0\xaf", "??"),
         "a surrogate": (b"\xed\xa0\x80", "???"), "a character that is too large": (b"\xf4\x90\x80\x80", "????")}


def test_texts(tap, topo):
    with tempfile.TemporaryDirectory() as directory:
        for what, (name, expected) in TEXTS.items():
            path = os.path.join(os.fsencode(directory), name)
            pathlib.Path(os.fsdecode(path)).write_text("SwitchName=s0 Nodes=n0\n")
            answer = subprocess.run([topo, "check", path, "--json"], check=False, capture_output=True, timeout=60)
            tap.eq(json.loads(answer.stdout)["file"], os.path.join(directory, expected), f"{what} in a text")


def test_show(tap, documents, topo):
    for path in (TOPOLOGIES / "topology3.conf", GOLDEN / "bundles.conf", GOLDEN / "speeds.conf"):
        text = run(topo, "show", path)
        found = documents.read(run(topo, "show", path, "--json"), "pipebcast show")
        first = text.splitlines()[0]
        tap.eq({name: found.get(name) for name in ("hosts", "switches")}, numbers(first), f"{path.name}: hosts, switches")
        tap.eq(found.get("hash"), first.split("hash ")[1], f"{path.name}: hash")
        # Without any LinkSpeed all links have speed 1, which the text does not print.
        lowest = re.search(r"speed (\d+)|all links have one speed", first).group(1) or "1"
        tap.eq(str(found.get("lowest_speed")), lowest, f"{path.name}: lowest speed")
        nodes = {node["name"]: node for node in found.get("nodes", [])}
        hosts = [node for node in nodes.values() if node["kind"] == "host"]
        tap.eq([len(hosts), len(nodes) - len(hosts)], [found.get("hosts"), found.get("switches")], f"{path.name}: nodes")
        tap.ok(all(node["parent"] is None or node["parent"] in nodes for node in nodes.values()), f"{path.name}: parents")
        speeds = sorted(set(re.findall(r"  speed (\d+)", text))) or [str(found.get("lowest_speed"))]
        tap.eq(sorted({str(node["speed"]) for node in nodes.values() if node["parent"]}), speeds, f"{path.name}: speeds")
        links = sorted({int(n) for n in re.findall(r"in (\d+) links", text)} | {1})
        tap.eq(sorted({node["links"] for node in nodes.values() if node["parent"]} | {1}), links, f"{path.name}: links")


def test_simulate(tap, documents, topo):
    arguments = ["topology5.conf", "--algorithm", "all", "--segment-counts", "4,16"]
    text = run(topo, "simulate", *arguments)
    found = documents.read(run(topo, "simulate", *arguments, "--json"), "pipebcast-topo simulate", on_page=False)
    shown = rows(text)[1:]
    tap.eq([[run["algorithm"], run["segments"]] for run in found["runs"]], [[row[0], int(row[1])] for row in shown],
           f"simulate: {len(shown)} runs")
    tap.ok(len(shown) > 10 and all(
        is_near(row[2], run["time"], 2) and is_near(row[3], run["mean_percent"], 1) and
        is_near(row[4], run["max_percent"], 1) and row[5:] == [run["busiest"]["from"], "->", run["busiest"]["to"]]
        for row, run in zip(shown, found["runs"])), "simulate: figures")


def is_row(row, candidate):
    """Whether a line of explain shows a candidate."""
    return (row[0] == candidate["algorithm"] and is_near(row[1], candidate["segment"], 0) and
            is_near(row[3], candidate["predicted_ms"], 3) and ("chosen" in row) == candidate["chosen"])


def test_explain(tap, documents, topo):
    for arguments in (["topology5.conf", "--sizes", "64K,1M", "--speed", "1000", "--all"],
                      ["topology5.conf", "--sizes", "5000", "--model", GOLDEN / "explain.model"]):
        text = run(topo, "explain", *arguments)
        found = documents.read(run(topo, "explain", *arguments, "--json"), "pipebcast explain")
        shown = [row for row in rows(text) if row[0] != "algorithm"]
        candidates = [candidate for message in found["messages"] for candidate in message["candidates"]]
        tap.eq(len(candidates), len(shown), f"explain {arguments[2]}: {len(shown)} candidates")
        wrong = [(row, candidate) for row, candidate in zip(shown, candidates) if not is_row(row, candidate)]
        tap.eq(wrong, [], f"explain {arguments[2]}: figures")
        tap.eq([message["bytes"] for message in found["messages"]],
               list(map(int, re.findall(r"^# (\d+) bytes to", text, re.MULTILINE))), f"explain {arguments[2]}: messages")
        tap.eq([found[name] for name in ("ranks", "switches")],
               [numbers(text.splitlines()[0])[name] for name in ("ranks", "switches")], f"explain {arguments[2]}: cluster")


def test_tree(tap, documents, topo):
    arguments = ["topology2.conf", "--algorithm", "twotree", "--format"]
    found = documents.read(run(topo, "tree", *arguments, "json"), "pipebcast-topo tree", on_page=False)
    text = run(topo, "tree", *arguments, "text")
    # A sender's row begins with its level.
    edges = {(row[1], child) for row in rows(text) if row[0].isdigit() for child in row[2:]}
    tap.ok(len(edges) > 1, "tree: the text has edges")
    tap.eq({tuple(edge) for stream in found["streams"] for edge in stream["edges"]}, edges, "tree: edges")


def test_advisor(tap, documents, advisor):
    with tempfile.TemporaryDirectory() as directory:
        with subprocess.Popen([advisor, "--dir", directory, "--topology", TOPOLOGIES / "topology2.conf", "--idle",
                               "--budget", "0.05", "--quiet"], stdin=subprocess.DEVNULL) as process:
            text = ""
            for _ in range(300):
                time.sleep(0.1)
                text = run(advisor, "status", "--dir", directory)
                if "predicted_ms" in text:
                    break
            # It stops, so that both forms are of one report.
            process.send_signal(signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            text = run(advisor, "status", "--dir", directory)
            found = documents.read(run(advisor, "status", "--dir", directory, "--json"), "pipebcast advise status")
            report = found.get("report") or {}
            members = {**report, **(report.get("last_tree") or {})}
            lines = dict(line.split(maxsplit=1) for line in text.splitlines()[1:])
            tap.ok(found.get("at_work") and text.startswith("an advisor is at work"), "status: an advisor is at work")
            for name in ("process", "since", "mode", "at", "method", "trees", "bytes", "root", "hosts", "predicted_ms"):
                tap.eq(lines.get(name), str(members.get(name)), f"status: its line of {name}")
            process.send_signal(signal.SIGCONT)
            process.terminate()
        found = documents.read(run(advisor, "status", "--dir", directory, "--json", status=1), "pipebcast advise status")
        tap.eq([found.get("at_work"), found.get("report")], [False, None], "status: nothing after its end")
        (pathlib.Path(directory) / "advisor-status.json").write_text("[1")
        found = documents.read(run(advisor, "status", "--dir", directory, "--json", status=1), "pipebcast advise status")
        tap.eq(found.get("report"), None, "status: a damaged report is none")


def use_mpi():
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_ALLOW_RUN_AS_ROOT="1",
                      PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                      PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", OMPI_MCA_btl="self,tcp",
                      OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_pml="ob1", OMPI_MCA_mpi_yield_when_idle="1")


def test_counters(tap, documents, mpirun, counters):
    if "PLUGINDIR" in os.environ:
        os.environ["OMPI_MCA_mca_base_component_path"] = f"{os.environ['PLUGINDIR']}:" + run(
            os.environ.get("OMPI_INFO", "ompi_info"), "--path", "pkglibdir", "--parsable").split(":")[-1].strip()
    listed = documents.read(run(counters, "--json"), "pipebcast counters")
    names = [name for name in run(counters).splitlines() if not name.startswith(" ")]
    tap.ok(len(names) > 20, "counters: there are some")
    with open("/dev/full", "w", encoding="utf-8") as full:
        refused = subprocess.run([counters, "--json"], check=False, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    tap.ok(refused.returncode == 1 and "standard output cannot be written" in refused.stderr, "counters: what cannot be written is no success")
    tap.eq([counter["name"] for counter in listed.get("counters", [])], names, "counters: their names")
    os.environ["OMPI_MCA_coll_pipebcast_hosts"] = "n[0-2]"
    os.environ["OMPI_MCA_coll_pipebcast_algorithm"] = "chain"
    text = run(mpirun, "-np", "3", counters, "-m", "64K,1")
    found = documents.read(run(mpirun, "-np", "3", counters, "-m", "64K,1", "--json"), "pipebcast counters")
    shown = [row for row in rows(text)[1:] if re.search("_broadcasts_|_fallback_|_bytes_", row[0])]
    of = {counter["name"]: counter for counter in found.get("counters", [])}
    tap.ok(len(shown) >= 2, "counters: some moved")
    tap.eq([[name, str(of[name]["all_ranks"]), str(of[name]["least_rank"]), str(of[name]["most"])] for name, *_ in shown],
           shown, "counters: sums, least and most")
    tap.eq([found.get("sizes"), found.get("ranks")], [[65536, 1], 3], "counters: sizes and ranks")


def test_bench(tap, documents, mpirun, bench):
    arguments = ["--sizes", "1K,4K", "--iterations", "2", "--warmup", "1"]
    head, *lines = run(mpirun, "-np", "2", bench, *arguments, "--csv", "--label", "a\xe9\"b").splitlines()
    found = documents.read(run(mpirun, "-np", "2", bench, *arguments, "--json", "--label", "a\xe9\"b"), "pipebcast bench")
    tap.eq([",".join(result) for result in found.get("results", [])], [head.split("checked,")[1] + ",served_by"] * 2,
           "bench: the columns of --csv")
    tap.eq([[found.get("label"), found.get("ranks"), [result["bytes"] for result in found.get("results", [])]], len(lines)],
           [["a\xe9\"b", 2, [1024, 4096]], 2], "bench: label, ranks and sizes")


def main():
    tap = Tap()
    topo = os.path.abspath(os.environ["TOPO"])
    documents = Documents(tap)
    for test in (test_check, test_show, test_simulate, test_explain, test_tree):
        test(tap, documents, topo)
    test_texts(tap, topo)
    test_advisor(tap, documents, os.path.abspath(os.environ["ADVISOR"]))
    if os.environ.get("PIPEBCAST_TESTS") != "units":
        use_mpi()
        mpirun = os.environ.get("MPIEXEC", "mpirun")
        test_bench(tap, documents, mpirun, os.path.abspath(os.environ["BENCH"]))
        test_counters(tap, documents, mpirun, os.path.abspath(os.environ["COUNTERS"]))
    return tap.done()


sys.exit(main())
