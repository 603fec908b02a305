"""What goes wrong, as the user is told of it."""

import os
import sys

TOOL = os.path.basename(sys.argv[0])  # as messages and examples name it

# Exit codes of the tool itself; any other is the program's.
EXIT_TIMEOUT, EXIT_FAILED, EXIT_UNABLE = 124, 125, 126


class Failure(Exception):
    """What went wrong and what to do about it, in a sentence for the user."""

    code = EXIT_FAILED


class Unable(Failure):
    """This computer lacks something."""

    code = EXIT_UNABLE


def warn(text):
    print(f"{TOOL}: {text}", file=sys.stderr, flush=True)
