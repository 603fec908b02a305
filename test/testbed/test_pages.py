"""
The blocks of README.md, CONTRIBUTING.md and doc/*.md that need several hosts, on four emulated ones, as a person types
them. Each page has a directory of its own, which all hosts share. test/doc/run_blocks.py runs what one host can run.
"""

import os
import re
import sys

from cluster import SCRATCH, SRCDIR, main, need_program, need_testbed, plugin_path, tap, tool, write

os.environ["abs_top_builddir"] = os.environ.get("PIPEBCAST_BUILDDIR", "")
sys.path.insert(0, os.path.join(SRCDIR, "test/doc"))

# pylint: disable=wrong-import-position
from commands import tools  # noqa: E402
from documents import TOP, blocks, command_pages  # noqa: E402

# Four of the hosts of README.md's cluster.conf.
HOSTS = ("n0", "n1", "n16", "n17")
NETWORK = "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[16-17]\nSwitchName=core Switches=s[0-1]\n"
MODEL = write("given.model", """pipebcast-model 2
topology any
payload 1448
overhead 22
place switch links 2
cost   256  300000  1200000  310000 3000 3000
cost  1426 1230000  4960000 1300000 3000 3000
cost 16384 14000000 30500000 14400000 10000 10000
""")
# What is measured next to other tests would decide whether a command fails, and is ignored. A model is given.
TRIALS = {
    "pipebcast-doctor": "#!/bin/sh\nexec '%s' \"$@\" --quick\n",
    "pipebcast-tune": f"""#!/bin/sh
'%s' "$@" --time-limit 2 --quiet 2>"tune.$OMPI_COMM_WORLD_RANK" && exit 0
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
grep -q 'give a longer --time-limit' tune.0 || exit 1
cp '{MODEL}' cluster.model
""",
}
# Hosts' answers over ssh: of hosts n0 to n3 of another cluster.
RECORDED = os.path.join(SRCDIR, "test/tools/import/recorded/linux_bridges/hosts")
SSH = f"""#!/bin/sh
[ "$1" != -n ] || shift
case $1 in n16) set n2 ;; n17) set n3 ;; esac
cat '{RECORDED}'/$1.json
"""

def write_program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def make_programs():
    directory = os.path.join(SCRATCH, "bin")
    os.mkdir(directory)
    for name, path in tools().items():
        if name in TRIALS:
            write_program(os.path.join(directory, name), TRIALS[name] % path)
        else:
            os.symlink(path, os.path.join(directory, name))
    write_program(os.path.join(directory, "ssh"), SSH)
    return directory


def make_home(page, programs):
    """A page's directory and environment, with what its commands take for granted."""
    home = os.path.join(SCRATCH, page.stem)
    os.mkdir(home)
    for name, text in (("all-hosts", "".join(f"{host}\n" for host in HOSTS)), ("cluster.conf", NETWORK)):
        write(os.path.join(home, name), text)
    os.symlink(os.path.join(programs, "pipebcast-counters"), os.path.join(home, "app"))
    return home, dict(os.environ, HOME=home, PATH=f"{programs}:{os.environ['PATH']}",
                      SHELL=os.path.join(home, "block"), OMPI_MCA_mca_base_component_path=plugin_path())


def run_page(page, programs):
    found = [block for block in blocks(page) if block.rule == "hosts"]
    home, env = make_home(page, programs) if found else (None, None)
    for block in found:
        write_program(env["SHELL"], "#!/bin/bash\nset -e -o pipefail\n" + block.text)
        answer = tool("shell", "--name", "t", "n0", timeout=200, env=env, cwd=home)
        where = f"{page.relative_to(TOP)}:{block.line}"
        if not tap.ok(answer.returncode == 0, f"{where}: {block.text.splitlines()[0]}"):
            tap.note(answer.stdout + answer.stderr)
        elif "doctor" in block.text:
            tap.ok(re.search(r"^OK +serving +pipebcast serves", answer.stdout, re.M), f"{where}: it is used")


def run():
    tool("up", "--topology", write("hosts.conf", NETWORK), "--name", "t", "--rate", "100mbit")
    programs = make_programs()
    for page in command_pages():
        run_page(page, programs)
    tool("down", "--name", "t")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
