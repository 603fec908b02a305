"""The documents for people: their blocks of commands, spans of code, links and headings.

A block is what stands between fences, or is indented by four columns or more after an empty line.
The HTML comment in the line before it, which readers do not see, is the rule by which it is tested:

  <!-- test: run -->              its commands run on one host, and succeed
  <!-- test: run makes FILE -->   the same, and they make the file doc/FILE as it is
  <!-- test: hosts -->            they run on several hosts: test/testbed/test_pages.py
  <!-- test: output -->           standard output of the block that ran before it
  <!-- test: file NAME -->        a file that later blocks use
  <!-- test: check, REASON -->    its commands cannot run here, for the reason given; their programs,
                                  options, parameters and files are checked all the same
"""

import collections
import os
import pathlib
import re

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
TOP = HERE.parent.parent

Block = collections.namedtuple("Block", "line rule text")
MARKER = re.compile(r"\s*<!-- test: (.*) -->$")


def command_pages():
    """The pages whose commands are tested, README.md first, as others use its files."""
    return [TOP / "README.md", TOP / "CONTRIBUTING.md"] + sorted((TOP / "doc").glob("*.md"))


def all_pages():
    """Every document of the tree, without those of build directories."""
    pages = [path for pattern in ("*.md", "*/*.md", "*/*/*.md", "*/*/*/*.md")
             for path in TOP.glob(pattern)]
    return sorted(path for path in pages
                  if not re.match(r"build|pipebcast-|[._]", str(path.relative_to(TOP))))


def without_indent(lines):
    columns = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "".join(line[columns:] + "\n" for line in lines)


def is_indented(line):
    return line.startswith("    ")


def blocks(path):
    """The blocks of a page; the rule of one that has none is None."""
    lines = path.read_text().splitlines()
    found, i = [], 0
    while i < len(lines):
        first = i
        if re.match(r"\s*```", lines[i]):
            i += 1
            while i < len(lines) and lines[i].strip() != "```":
                i += 1
            body = lines[first + 1:i]
            i += 1
        elif is_indented(lines[i]) and i > 0 and (not lines[i - 1] or MARKER.match(lines[i - 1])):
            while i < len(lines) and (is_indented(lines[i]) or not lines[i]):
                i += 1
            body = lines[first:i]
        else:
            i += 1
            continue
        marker = MARKER.match(lines[first - 1]) if first > 0 else None
        found.append(Block(first + 1, marker and marker.group(1), without_indent(body)))
    return found


def prose(path):
    """The page without its blocks: (number, line)."""
    hidden = set()
    for block in blocks(path):
        hidden.update(range(block.line, block.line + block.text.count("\n") + 2))
    return [(i, line) for i, line in enumerate(path.read_text().splitlines(), 1)
            if i not in hidden]


def spans(path):
    """The spans of code in the text: (number of the line, text)."""
    return [(i, span) for i, line in prose(path) for span in re.findall(r"`([^`]+)`", line)]


def links(path):
    """What the page's links and pictures name: (number of the line, target)."""
    return [(i, target) for i, line in prose(path)
            for target in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "", line))]


def anchors(path):
    """The names by which links lead to the page's headings."""
    titles = [re.match(r"#+ (.*)", line) for _, line in prose(path)]
    words = [re.sub(r"[^\w\- ]", "", title.group(1).lower()) for title in titles if title]
    return {text.replace(" ", "-") for text in words}
