"""Where this program and what belongs to it is: the fabric, and the library that lets ranks sleep."""

import glob
import os
import shutil

from .failure import Failure


class Installation:
    """What the program that people call knows of itself."""

    def __init__(self, program, version, libraries):
        self.program = program  # its file, which is started once more for the keeper
        self.version = version
        self.libraries = libraries  # the directory of libraries, where they are installed

    @property
    def data(self):
        """Where this library's package is, and files of topologies and hosts."""
        return os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

    @property
    def directory(self):
        return os.path.dirname(self.program)


def find_fabric(installed):
    """The fabric's program: named by the environment, built, or installed."""
    named = os.environ.get("PIPEBCAST_FABRIC")
    if named:
        if not os.access(named, os.X_OK):
            raise Failure(f"PIPEBCAST_FABRIC={named}: no such program")
        return os.path.abspath(named)
    name = "pipebcast-fabric"
    build = os.environ.get("PIPEBCAST_BUILDDIR")
    places = [os.path.join(build, "contrib/testbed", name)] if build else []
    places.append(os.path.join(installed.directory, name))
    builds = glob.glob(os.path.join(installed.directory, "../../build*/contrib/testbed", name))
    places += sorted(builds, key=os.path.getmtime, reverse=True)
    for place in places:
        if os.access(place, os.X_OK):
            return os.path.realpath(place)
    path = shutil.which(name)
    if path is None:
        raise Failure(
            f"the program {name} is not found: run make, and set PIPEBCAST_BUILDDIR to the build "
            "directory or PIPEBCAST_FABRIC to the program if it is not next to this script"
        )
    return path


def find_idle(installed):
    """The library that lets idle ranks sleep: named by the environment, built, or installed."""
    named = os.environ.get("PIPEBCAST_IDLE")
    if named:
        places = [named]
    else:
        fabric = os.path.dirname(find_fabric(installed))
        places = [
            os.path.join(fabric, "pipebcast-idle.so"),
            os.path.join(installed.libraries, "pipebcast-idle.so"),
        ]
    for place in places:
        if os.access(place, os.R_OK):
            return os.path.realpath(place)
    raise Failure(
        f"the library pipebcast-idle.so is not found ({', '.join(places)}): run make, name it by "
        "PIPEBCAST_IDLE, or give --idle spin"
    )
