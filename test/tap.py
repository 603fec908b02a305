"""TAP for the tests that are written in Python."""

import re


class Tap:
    """One line per checked fact, and a plan at the end."""

    def __init__(self):
        self.run = self.failed = 0

    def ok(self, passed, text):
        self.run += 1
        self.failed += not passed
        print(f"{'' if passed else 'not '}ok {self.run} - {text}".replace("#", ""), flush=True)
        return passed

    def eq(self, found, wanted, text):
        if not self.ok(found == wanted, text):
            self.note(f"found {found!r}, wanted {wanted!r}")

    def match(self, text, pattern, what):
        if not self.ok(re.search(pattern, text) is not None, what):
            self.note(f"'{pattern}' is not in: {text}")

    def skip(self, text, reason):
        self.run += 1
        print(f"ok {self.run} - {text} # SKIP {reason}", flush=True)

    def done(self):
        """The plan; the program's exit status."""
        print(f"1..{self.run}", flush=True)
        return 1 if self.failed else 0

    @staticmethod
    def note(text):
        for line in str(text).splitlines():
            print("# " + line, flush=True)
