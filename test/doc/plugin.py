"""The plugin of the build tree, for programs of Open MPI that tests ask."""

import os
import re
import subprocess

OMPI_INFO = os.environ.get("OMPI_INFO", "ompi_info")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL).stdout


def use_plugin(directory):
    """Lets Open MPI find the plugin, and none of a person's own settings."""
    for name in [name for name in os.environ if re.match("(OMPI|PRTE|PMIX)_MCA_", name)]:
        del os.environ[name]
    os.symlink(os.environ["PLUGIN"], os.path.join(directory, "mca_coll_pipebcast.so"))
    system = re.search("^path:pkglibdir:(.*)$", output(OMPI_INFO, "--path", "pkglibdir",
                                                       "--parsable"), re.MULTILINE).group(1)
    os.environ.update(HOME=directory, OMPI_MCA_mca_base_component_path=f"{directory}:{system}",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
