# pipebcast needs Open MPI itself, the C library's list of network interfaces, and hwloc as a library
# of the system (--with-hwloc=external), not the one inside Open MPI 4.1, whose names are others;
# where one is missing the component is left out. libyaml, by which Slurm's topology.yaml is read, is
# used where it is.
AC_DEFUN([MCA_ompi_coll_pipebcast_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/pipebcast/Makefile])
    AC_CHECK_HEADER([ifaddrs.h], [coll_pipebcast_happy=yes], [coll_pipebcast_happy=no])
    AC_CHECK_HEADER([hwloc.h], [], [coll_pipebcast_happy=no])
    AC_CHECK_LIB([hwloc], [hwloc_topology_init], [coll_pipebcast_LIBS=-lhwloc],
                 [coll_pipebcast_happy=no])
    AC_CHECK_HEADER([yaml.h],
        [AC_CHECK_LIB([yaml], [yaml_parser_initialize],
            [coll_pipebcast_LIBS="$coll_pipebcast_LIBS -lyaml"
             coll_pipebcast_CPPFLAGS=-DPB_HAVE_YAML=1])])
    AC_SUBST([coll_pipebcast_CPPFLAGS])
    AC_SUBST([coll_pipebcast_LIBS])
    AS_IF([test $coll_pipebcast_happy = yes], [$1], [$2])
])
