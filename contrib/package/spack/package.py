# A recipe for Spack: `spack repo create`, and this file as packages/pipebcast/package.py in it.
#
# Open MPI has to have its devel headers (its configure's --with-devel-headers), for which Spack's
# recipe has no variant: take a site's own Open MPI as an external package, or extend that recipe.
from spack.package import *


class Pipebcast(AutotoolsPackage):
    """A component of Open MPI that broadcasts down pipelined trees which follow the switches of an
    Ethernet cluster, and its tools."""

    homepage = "https://pipebcast.example/"
    url = "https://pipebcast.example/releases/pipebcast-1.0.0.tar.xz"

    license("BSD-3-Clause")

    # The checksum is that of the release's announcement; until then, `spack install --no-checksum`.
    version("1.0.0")

    variant("yaml", default=True, description="topologies in Slurm's topology.yaml")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("openmpi@4.1:6")
    depends_on("hwloc@2:")
    depends_on("pmix", when="^openmpi@5:")
    depends_on("jansson@2.11:")
    depends_on("libyaml", when="+yaml")

    def configure_args(self):
        return [
            f"--with-ompi={self.spec['openmpi'].prefix}",
            f"--with-plugindir={self.prefix.lib.openmpi}",
            *self.with_or_without("yaml"),
        ]

    def setup_run_environment(self, env):
        # Open MPI looks nowhere else once this is set, so its own directory is named, too, by Open MPI's word.
        env.set("OMPI_MCA_mca_base_component_path", f"{self.prefix.lib.openmpi}:SYSTEM_DEFAULT")
