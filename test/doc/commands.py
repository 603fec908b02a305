"""What can be checked of a command without running it: program, options, parameters, files."""

import functools
import os
import re
import shlex
import subprocess

from documents import TOP

BUILD = os.environ.get("abs_top_builddir", str(TOP))
OMPI_INFO = os.environ.get("OMPI_INFO", "ompi_info")
PREFIX = "coll_pipebcast_"

# The options of programs that are not this project's, as far as the documents need them: how many
# words follow each. Slurm's have theirs after '='.
LAUNCHER = {"--mca": 2, "--hostfile": 1, "--map-by": 1, "--bind-to": 1, "-n": 1, "-x": 1}
SLURM = {"--mpi", "--nodes", "--ntasks-per-node", "--time"}
# Files begin with these words, which are no programs.
FORMATS = {f"pipebcast-{name}" for name in
           "advice arrivals links model".split()}
# Programs of the system, and of Open MPI's source tree.
OTHERS = {"./app", "cd", "cut", "ethtool", "export", "ip", "mkdir", "read", "ssh", "systemctl", "tar",
          "./autogen.pl", "../openmpi-4.1.4/configure", "../openmpi-5.0.7/configure",
          "../ompi/configure"}


@functools.lru_cache(None)
def packages():
    """Names of the Debian packages, which look like those of programs."""
    control = (TOP / "contrib" / "package" / "debian" / "control").read_text()
    return set(re.findall(r"^Package: (.*)$", control, re.MULTILINE))


class Fault(Exception):
    """What is wrong with a command."""


def output(*command, env=None):
    answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60,
                            stdin=subprocess.DEVNULL, env=env)
    return answer.stdout + answer.stderr


@functools.lru_cache(None)
def tools():
    """The programs of the build tree by name, wherever in contrib/ they are made."""
    found = {}
    for directory, _, names in os.walk(os.path.join(BUILD, "contrib")):
        for name in names:
            path = os.path.join(directory, name)
            if re.fullmatch(r"pipebcast(-[a-z]+)?", name) and os.access(path, os.X_OK):
                found[name] = path
    return found


@functools.lru_cache(None)
def help_of(*command):
    # Scripts are in the source.
    rooms = {str(tool.parent) for tool in TOP.glob("contrib/tools/*/pipebcast-*")}
    path = ":".join({os.path.dirname(tool) for tool in tools().values()} | rooms)
    return output(tools()[command[0]], *command[1:], "--help",
                  env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})


@functools.lru_cache(None)
def mca():
    """Names of Open MPI's parameters and of pipebcast's counters, with the values of those that
    have a list of them."""
    text = output(OMPI_INFO, "--param", "all", "all", "--level", "9", "--parsable")
    known = {name: set() for name in re.findall(r":(?:param|pvar):(\w+):", text)}
    for name, value in re.findall(r":param:(\w+):enumerator:value:-?\d+:(.*)$", text, re.MULTILINE):
        known[name].add(value)
    return known


def check_parameter(name, value=None):
    # Frameworks' own lists of components, which ompi_info shows for frameworks with several alone.
    if name not in mca() and name != "coll":
        raise Fault(f"there is no parameter {name}")
    values = mca().get(name)
    if values and value is not None and value not in values:
        raise Fault(f"{name} does not take '{value}' but {', '.join(sorted(values))}")


def check_names(text):
    """Every parameter and counter of pipebcast that a text names, alone or as `name value`."""
    for name, end, value in re.findall(rf"\b{PREFIX}(\w+)(\.[ch]\b|\*|)(?: ([a-z_]+)$)?", text):
        if end.startswith(".") or name.isupper():
            continue
        if end == "*":
            if not any(other.startswith(PREFIX + name) for other in mca()):
                raise Fault(f"no parameter or counter begins with {PREFIX}{name}")
        elif PREFIX + name in mca():
            check_parameter(PREFIX + name, value or None)
        else:
            raise Fault(f"there is no parameter or counter {PREFIX}{name}")


def check_tool(words):
    name, arguments = words[0], words[1:]
    if name not in tools():
        raise Fault(f"there is no program {name}")
    known = help_of(name)
    if name == "pipebcast" and arguments[:1] == ["help"]:
        arguments = arguments[1:]
    if name == "pipebcast" and arguments == ["--version"]:
        return
    if arguments and re.match(r"[Uu]sage: [\w-]+ (\[-h\] )?(\[--version\] )?COMMAND", known):
        if not re.search(rf"^\s+{re.escape(arguments[0])}\s", known, re.MULTILINE):
            raise Fault(f"{name} has no command {arguments[0]}")
        known = help_of(name, arguments[0])
    for word in arguments:
        option = word.split("=")[0]
        if option == "--":
            break
        if option.startswith("--") and not re.search(rf"{option}(?![\w-])", known):
            raise Fault(f"{name} has no option {option}")
    for tree in re.findall(r"\bpipebcast:(\w+)", " ".join(arguments)):
        check_parameter(PREFIX + "algorithm", tree)


def check_launcher(words):
    i = 1
    while i < len(words) and words[i].startswith("-"):
        if words[i] not in LAUNCHER:
            raise Fault(f"mpirun's option {words[i]} is not known here")
        if words[i] == "--mca":
            check_parameter(*words[i + 1:i + 3])
        i += 1 + LAUNCHER[words[i]]
    if i < len(words):
        check(words[i:])


def check_slurm(words):
    i = 1
    while i < len(words) and words[i].startswith("-"):
        if words[i].split("=")[0] not in SLURM:
            raise Fault(f"Slurm's option {words[i]} is not known here")
        i += 1
    if words[0] != "sbatch":
        check(words[i:])


def check_env(words):
    i = 1
    while i < len(words) and (words[i] == "-u" or "=" in words[i]):
        i += 2 if words[i] == "-u" else 1
    check(words[i:])


def check_script(words):
    path = TOP / words[0]
    if not os.access(path, os.X_OK):
        raise Fault(f"there is no program {words[0]}")
    for word in words[1:]:
        if word.startswith("--") and word + ")" not in path.read_text():
            raise Fault(f"{words[0]} has no option {word}")


def check_make(words):
    directory = words[words.index("-C") + 1] if "-C" in words else "."
    makefile = os.path.join(BUILD, directory, "Makefile")
    try:
        with open(makefile, encoding="utf-8") as stream:
            rules = stream.read()
    except OSError as error:
        raise Fault(f"{makefile} cannot be read: {error}") from error
    targets = {word for left in re.findall(r"^([^\t\n#=]+):", rules, re.MULTILINE)
               for word in left.split()}
    for word in words[1:]:
        if word.startswith("TESTS="):
            if not (TOP / directory / word[6:]).exists():
                raise Fault(f"there is no test {directory}/{word[6:]}")
        elif word not in targets | {"-C", directory}:
            raise Fault(f"there is no target {word} in {directory}")


def check_packages(words):
    known = (TOP / "contrib" / "prepare.sh").read_text()
    for word in words[2:]:
        if not re.search(rf"[\s(]{re.escape(word)}[\s)]", known):
            raise Fault(f"contrib/prepare.sh does not install {word}")


def check_info(words):
    answer = subprocess.run([OMPI_INFO, *words[1:]], check=False, capture_output=True, text=True,
                            timeout=60)
    if answer.returncode != 0 or not answer.stdout:
        raise Fault(f"{' '.join(words)} prints: {answer.stdout}{answer.stderr}")


def check(words):
    """One command, as the shell would take it apart."""
    while words and (re.match(r"\w+=", words[0]) or words[0] in ("while", "do", "done")):
        words = words[1:]
    if not words:
        return
    name = words[0]
    if name.startswith("pipebcast-") or name == "pipebcast":
        check_tool(words)
    elif name == "mpirun":
        check_launcher(words)
    elif name in ("srun", "salloc", "sbatch"):
        check_slurm(words)
    elif name == "env":
        check_env(words)
    elif name in ("./configure", "../../configure"):
        text = output(str(TOP / "configure"), "--help")
        for word in words[1:]:
            option = word.split("=")[0]
            if word != "..." and f"{option}=" not in text and f"{option} " not in text:
                raise Fault(f"configure has no option {option}")
    elif name.startswith("./contrib/") or name == "./autogen.sh":
        check_script(words)
    elif name == "make":
        check_make(words)
    elif name == "apt-get":
        check_packages(words)
    elif name == "ompi_info":
        check_info(words)
    elif name not in OTHERS:
        raise Fault(f"'{name}' is no program that this test knows")


def commands(text):
    """The commands of a shell text, each a list of words."""
    lexer = shlex.shlex(text.replace("\\\n", " ").replace("\n", " ;\n"), posix=True,
                        punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    found, aside = [[]], False
    for token in lexer:
        if re.fullmatch(r"[<>]+", token):
            aside = True
        elif re.fullmatch(r"[();|&]+", token):
            found.append([])
        elif aside:
            aside = False
        else:
            found[-1].append(token)
    return [words for words in found if words]


def without_comments(text):
    return re.sub(r"(^|\s)#.*$", r"\1", text, flags=re.MULTILINE)


def check_text(text):
    """Every command of a shell text."""
    check_names(text)
    for name in re.findall(r"OMPI_MCA_(\w+)=", text):
        check_parameter(name)
    for options in re.findall(r"^#SBATCH (.*)$", text, re.MULTILINE):
        check_slurm(["sbatch", *options.split()])
    for words in commands(without_comments(text)):
        check(words)


def check_span(span):
    """A span of code in a sentence: what it names exists."""
    check_names(span)
    if re.match(r"(contrib|doc|test|topo|ompi_coll_pipebcast)/[\w./-]+$", span):
        if not list(TOP.glob(span.rstrip("/"))) and not list(TOP.glob(span + ".*")):
            raise Fault(f"there is no {span} in the source")
    elif (re.match(r"(pipebcast-[a-z]+|pipebcast (?!is |was )[a-z-]+|mpirun|srun|ompi_info)( |$)", span) and "|" not in span and
          span.split()[0] not in FORMATS and (span not in packages() or span in tools())):
        check_text(span)
