"""The messages in the C sources: every format of a function that speaks to people.

A format in which a condition chooses between texts gives one message each.
"""

import re

# Functions that take a format, and which argument it is. `snprintf` speaks to people where it
# writes into one of TEXTS.
FORMATS = {
    "common_wrong": 1,
    "coll_pipebcast_log": 1,
    "coll_pipebcast_warn": 0,
    "complain": 3,
    "fault": 2,
    "fault_none": 1,
    "pb_diag_fault": 3,
    "pb_item_fault": 1,
    "snprintf": 2,
    "common_report": 0,
    "wrong": 1,
}
TEXTS = {"what", "why"}

# What stands in a format for a value.
CONVERSION = re.compile(r"%(?!%)[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|/\*.*?\*/|\w+|\s+|.', re.DOTALL)
GIVEN = re.compile(r'\bchar (?:%s)\[\]\s*=\s*"((?:[^"\\]|\\.)*)"' % "|".join(sorted(TEXTS)))
# Functions that say what is wrong return such texts.
RETURNED = re.compile(r'\breturn "((?:[^"\\]|\\.)*)";')
CALL = re.compile(r"\b(%s)\s*\(" % "|".join(FORMATS))
# The macros of inttypes.h stand for the end of a conversion, others for a text.
MACRO = re.compile(r"PRI[a-zA-Z0-9]+$")
TEXT_MACRO = re.compile(r"[A-Z_][A-Z0-9_]+$")


def arguments(text, at):
    """The arguments of the call whose bracket opens before `at`, each a list of tokens."""
    found, depth = [[]], 1
    for match in TOKEN.finditer(text, at):
        token = match.group()
        depth += (token in "([{") - (token in ")]}")
        if depth == 0:
            return found
        if depth == 1 and token == ",":
            found.append([])
        elif not token.isspace() and not token.startswith("/*"):
            found[-1].append(token)
    return found


def texts(tokens):
    """The strings of an argument; those side by side are one."""
    found, current = [], None
    for token in tokens + [""]:
        string = STRING.fullmatch(token)
        if string:
            current = (current or "") + string.group(1)
        elif MACRO.match(token) and current is not None:
            current += "d"
        elif TEXT_MACRO.match(token) and current is not None:
            current += "%s"
        elif current is not None:
            found.append(current.replace("\\n", " ").replace('\\"', '"'))
            current = None
    return found


def is_telling(text):
    """Whether there are words in it, beside what stands for values, that call for more of them."""
    return (len(re.findall(r"[a-z]{2,}", CONVERSION.sub("", text))) >= 2 and
            not re.search(r"\bmemory is out\b|\bout of memory\b", text))


def messages(path):
    """The messages of one file, as (line, format)."""
    text = path.read_text()
    for match in GIVEN.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)
    for match in RETURNED.finditer(text):
        if is_telling(match.group(1)):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)
    for match in CALL.finditer(text):
        found = arguments(text, match.end())
        place = FORMATS[match.group(1)]
        if len(found) <= place or (match.group(1) == "snprintf" and found[0] not in
                                   [[name] for name in TEXTS]):
            continue
        for message in texts(found[place]):
            if is_telling(message):
                yield text.count("\n", 0, match.start()) + 1, message


def pattern(message):
    """A regular expression for what a reader of this message sees."""
    parts = [re.escape(part.replace("%%", "%")) for part in CONVERSION.split(message)]
    return re.compile(".+?".join(parts))
