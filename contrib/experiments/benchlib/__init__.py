"""What the drivers compare and paper share: places to run, methods, runs, tables and pictures."""

import os
import sys

# Modules that all programs in Python share are next to this library where it is installed, and with the
# testbed in the source tree.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path += [os.path.dirname(HERE), os.path.join(HERE, "../../testbed")]
