#!/usr/bin/env python3
"""TAP: pipebcast import lldp, against golden files.

cases/NAME.case describes the tables of a network, and NAME.expected what the tool makes of them:

  options --pair leaf1,leaf2                  of the command line
  host n0 eth0 leaf1 swp1 [KEY=VALUE]...      host n0 sees leaf1's port swp1 on its interface eth0
  host n0                                     a host that sees nobody
  switch leaf1 swp49 spine1 swp1 ...          the same of a switch
  trunk leaf1 swp49 spine1 swp1 100000        a line of the table of trunks

Keys: id=TYPE/VALUE of the chassis; name=NAME, where another one than the word before; name= for none;
cap=Bridge,Router-,... with a '-' for what is not enabled, cap= for none stated; speed=TYPE; via=PROTOCOL.

raw/NAME.json is a table as a file, and NAME.expected what the tool makes of it as that of host n0;
raw/NAME.trunks the same as table of trunks of two hosts on leaf1 and leaf2. recorded/NAME/ has what
Debian's lldpcli has printed, hosts/ and perhaps switches/.

With UPDATE_GOLDEN=1 the expected files are written anew;
read what changed before you keep it.
"""

import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

# pylint: disable=wrong-import-position
from tap import Tap

IMPORT = HERE.parents[2] / "contrib" / "tools" / "import" / "pipebcast-import"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


def neighbour_of(interface, chassis, name=None, port=None, capabilities=(("Bridge", True),),
              speed=None, via="LLDP"):  # fmt: skip
    """One neighbor on an interface. chassis is (type, value), capabilities are (type, enabled)."""
    system = {"id": [{"type": chassis[0], "value": chassis[1]}]}
    if name is not None:
        system["name"] = [{"value": name}]
    if capabilities:
        system["capability"] = [{"type": kind, "enabled": on} for kind, on in capabilities]
    end = {"id": [{"type": "ifname", "value": port}], "ttl": [{"value": "120"}]}
    if speed is not None:
        end["auto-negotiation"] = [
            {"supported": True, "enabled": True, "current": [{"value": speed}]}
        ]
    return {"name": interface, "via": via, "rid": "1", "chassis": [system], "port": [end]}


def table_text(neighbours):
    """The whole output."""
    return json.dumps({"lldp": [{"interface": neighbours} if neighbours else {}]}, indent=1)


class Case:
    """The files of a case, and the command line."""

    def __init__(self, lines):
        self.options, self.trunks, self.tables, self.ids = [], [], {}, {}
        for line in lines:
            words = line.split()
            if words and not words[0].startswith("#"):
                self.take(words)

    def take(self, words):
        kind = words.pop(0)
        if kind == "options":
            self.options += words
        elif kind == "trunk":
            self.trunks.append(" ".join(words))
        else:
            table = self.tables.setdefault((kind, words[0]), [])
            if len(words) > 1:
                table.append(self.neighbour(*words[1:]))

    def neighbour(self, interface, device, port, *rest):
        keys = dict(word.split("=", 1) for word in rest)
        kind, _, value = keys.get("id", "mac/" + self.address(device)).partition("/")
        capabilities = [(word.rstrip("-"), not word.endswith("-"))
                        for word in keys.get("cap", "Bridge").split(",") if word]  # fmt: skip
        return neighbour_of(
            interface, (kind, value), keys.get("name", device) or None, port, capabilities,
            keys.get("speed"), keys.get("via", "LLDP"))  # fmt: skip

    def address(self, device):
        number = self.ids.setdefault(device, len(self.ids) + 1)
        return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"

    def arguments(self, directory):
        """Writes the files; the arguments that name them."""
        arguments = ["hosts", *self.options]
        for (kind, owner), neighbours in self.tables.items():
            path = directory / {"host": "hosts", "switch": "switches"}[kind] / (owner + ".json")
            path.parent.mkdir(exist_ok=True)
            path.write_text(table_text(neighbours))
        if (directory / "switches").exists():
            arguments += ["--switches", "switches"]
        if self.trunks:
            (directory / "trunks").write_text("\n".join(self.trunks) + "\n")
            arguments += ["--trunks", "trunks"]
        return arguments


def run(directory, *arguments):
    """What the tool prints and how it ends, as text."""
    answer = subprocess.run([sys.executable, IMPORT, "lldp", *arguments], cwd=directory, timeout=60,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    return f"status {answer.returncode}\n{answer.stderr}{answer.stdout}"


def compare(tap, path, given):
    expected = path.with_suffix(".expected")
    if UPDATE:
        expected.write_text(given)
    wanted = expected.read_text() if expected.exists() else None
    if not tap.ok(given == wanted, f"{path.parent.name}/{path.name}"):
        tap.note(given)


def test_cases(tap):
    for path in sorted((HERE / "cases").glob("*.case")):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            arguments = Case(path.read_text().splitlines()).arguments(directory)
            compare(tap, path, run(directory, *arguments))


def test_raw(tap):
    for path in sorted((HERE / "raw").glob("*.json")):
        compare(tap, path, run(HERE / "raw", f"n0={path.name}"))
    for path in sorted((HERE / "raw").glob("*.trunks")):
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            case = Case(["host n0 eth0 leaf1 swp1", "host n1 eth0 leaf2 swp1"])
            (directory / path.name).write_bytes(path.read_bytes())
            compare(tap, path, run(directory, *case.arguments(directory), "--trunks", path.name))


def test_recorded(tap):
    for path in sorted(path for path in (HERE / "recorded").glob("*") if path.is_dir()):
        switches = ["--switches", "switches"] if (path / "switches").exists() else []
        compare(tap, path, run(path, "hosts", *switches))


def test_replaced(tap, directory):
    """Other users can read the file, whatever the umask, and a link stays one."""
    (directory / "link.conf").symlink_to("made.conf")
    before = os.umask(0o077)
    run(directory, "hosts", "--output", "new.conf")
    run(directory, "hosts", "--output", "link.conf")
    os.umask(before)
    modes = [oct((directory / file).stat().st_mode & 0o777) for file in ("new.conf", "made.conf")]
    tap.ok(modes == ["0o644", "0o644"], f"modes {modes}")
    tap.ok((directory / "link.conf").is_symlink(), "a link is followed")


def test_output(tap):
    """The file that is written is whole, and nothing is where there were errors."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        case = Case(["host n0 eth0 leaf1 swp1", "host n1 eth0 leaf1 swp2"])
        given = run(directory, *case.arguments(directory), "--output", "made.conf")
        tap.ok(given == "status 0\nmade.conf: 2 hosts on 1 switch\n", "--output writes a file")
        made = (directory / "made.conf").read_text()
        tap.ok(made.endswith("SwitchName=leaf1 Nodes=n[0-1]\n"), "which has the topology")
        (directory / "empty.json").touch()
        given = run(directory, "hosts", "n2=empty.json")
        tap.ok(given.startswith("status 0\npipebcast-import: warning: empty.json: is no JSON") and "Nodes=n[0-1]\n" in given,
               "a host whose table cannot be read costs no other")  # fmt: skip
        test_replaced(tap, directory)
        answer = subprocess.run(["sh", "-c", f"{IMPORT} lldp hosts > /dev/full"], cwd=directory, timeout=60, stderr=subprocess.PIPE,
                                text=True, check=False)  # fmt: skip
        tap.ok((answer.returncode, answer.stderr.splitlines()[-1]) == (1, "standard output cannot be written: No space left on device"),
               "a full disk")  # fmt: skip
        given = run(directory, "hosts", "--output", "other.conf", "--top", "leaf9")
        tap.ok(given.startswith("status 1\n") and not (directory / "other.conf").exists(),
               "and is not there where there are faults")  # fmt: skip
        given = run(directory, "hosts", "--output", "no/such/directory/made.conf")
        tap.ok(given.startswith("status 1\n"), "a file that cannot be written")
        os.mkfifo(directory / "pipe")
        given = run(directory, *case.arguments(directory), "--output", "pipe")
        tap.ok(given.startswith("status 1\n") and (directory / "pipe").is_fifo(), "a pipe is not replaced")
        for words, status in (((), 2), (("nowhere.json",), 1), (("n0=nowhere.json",), 1),
                              (("hosts", "--trunks", "nowhere"), 1), ((".",), 1),
                              (("hosts", "n0=hosts/n1.json"), 1),
                              (("m0=hosts/n0.json", "hosts/n1.json"), 0),
                              (("n0 copy=hosts/n0.json", "hosts/n1.json"), 1),
                              (("gr\u00f6\u00dfe=hosts/n0.json", "hosts/n1.json"), 1),
                              (("hosts", "--pair", ""), 2),
                              (("hosts", "--output", "made.yaml"), 2)):  # fmt: skip
            given = run(directory, *words)
            if not tap.ok(given.startswith(f"status {status}\n"), f"status {status}: {words}"):
                tap.note(given)


def main():
    tap = Tap()
    test_cases(tap)
    test_raw(tap)
    test_recorded(tap)
    test_output(tap)
    tap.ok(ast.parse(IMPORT.read_text(), feature_version=(3, 6)), "it is written in the Python of older systems, 3.6")
    return tap.done()


sys.exit(main())
