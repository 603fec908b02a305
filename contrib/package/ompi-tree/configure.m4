# pipebcast needs nothing but Open MPI itself and the C library's list of network interfaces; where
# that is missing the component is left out.
AC_DEFUN([MCA_ompi_coll_pipebcast_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/pipebcast/Makefile])
    AC_CHECK_HEADER([ifaddrs.h], [coll_pipebcast_happy=yes], [coll_pipebcast_happy=no])
    AS_IF([test $coll_pipebcast_happy = yes], [$1], [$2])
])
