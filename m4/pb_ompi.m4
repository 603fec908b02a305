# PB_OMPI: finds an Open MPI with its devel headers (the ones that components are built from).
#
# Sets MPICC, PB_OMPI_VERSION, PB_OMPI_CPPFLAGS (as system headers, so that their warnings are not
# ours), PB_OMPI_LIBS, MPIEXEC, plugindir.
AC_DEFUN([PB_OMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=DIR],
            [Open MPI's installation prefix @<:@default: the mpicc and ompi_info in PATH@:>@])],
        [], [with_ompi=])
    AC_ARG_WITH([plugindir],
        [AS_HELP_STRING([--with-plugindir=DIR],
            [where to install the plugin @<:@default: Open MPI's own plugin folder;
             ~/.openmpi/components serves one user@:>@])],
        [], [with_plugindir=])

    pb_path=$PATH
    AS_CASE([$with_ompi],
        [''|yes], [],
        [no], [AC_MSG_ERROR([pipebcast is an Open MPI component and cannot be built without Open MPI])],
        [pb_path=$with_ompi/bin])
    AC_PATH_PROGS([OMPI_INFO], [ompi_info], [], [$pb_path])
    # The others from beside it: PATH may have programs of several.
    AS_IF([test -n "$OMPI_INFO"], [pb_path=`AS_DIRNAME(["$OMPI_INFO"])`])
    AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$pb_path])
    AC_PATH_PROGS([MPIEXEC], [mpirun.openmpi mpirun], [], [$pb_path])
    AS_IF([test -z "$MPICC" || test -z "$OMPI_INFO"],
        [AC_MSG_ERROR([Open MPI's mpicc and ompi_info were not found beside each other in $pb_path.
  Install Open MPI with its development files (on Debian and Ubuntu: openmpi-bin and libopenmpi-dev),
  or name its prefix: --with-ompi=DIR])])

    AC_MSG_CHECKING([for Open MPI's version])
    PB_OMPI_VERSION=`$OMPI_INFO --version 2>/dev/null | $SED -n 's/^Open MPI v//p'`
    AS_IF([test -z "$PB_OMPI_VERSION"],
        [AC_MSG_ERROR([$OMPI_INFO does not tell a version: is it Open MPI's? Name the prefix: --with-ompi=DIR])])
    AC_MSG_RESULT([$PB_OMPI_VERSION])

    # Every include folder of the wrapper is searched for the devel headers, which
    # lie in an "openmpi" folder below one of them.
    AC_MSG_CHECKING([for Open MPI's devel headers])
    pb_incdirs=`$MPICC --showme:incdirs 2>/dev/null`
    pb_devel=
    for pb_dir in $pb_incdirs `$OMPI_INFO --path incdir --parsable 2>/dev/null | $SED -n 's/^path:incdir://p'`; do
        for pb_try in $pb_dir $pb_dir/openmpi; do
            AS_IF([test -z "$pb_devel" && test -f "$pb_try/ompi/mca/coll/coll.h"], [pb_devel=$pb_try])
        done
    done
    AS_IF([test -z "$pb_devel"],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([Open MPI $PB_OMPI_VERSION is there, but not the headers that components are built from
  (ompi/mca/coll/coll.h; searched: $pb_incdirs).
  On Debian and Ubuntu: apt-get install libopenmpi-dev
  Built from source: configure Open MPI with --with-devel-headers])])
    AC_MSG_RESULT([$pb_devel])

    PB_OMPI_CPPFLAGS="-isystem $pb_devel"
    for pb_dir in $pb_incdirs; do
        PB_OMPI_CPPFLAGS="$PB_OMPI_CPPFLAGS -isystem $pb_dir"
    done
    PB_OMPI_LIBS=
    # Programs find libraries outside the system's directories as those of the wrapper do.
    AS_CASE([`$MPICC --showme:link 2>/dev/null`], [*-rpath*], [pb_rpath=yes], [pb_rpath=])
    for pb_dir in `$MPICC --showme:libdirs 2>/dev/null`; do
        PB_OMPI_LIBS="$PB_OMPI_LIBS -L$pb_dir${pb_rpath:+ -Wl,-rpath,$pb_dir}"
    done
    for pb_lib in `$MPICC --showme:libs 2>/dev/null`; do
        PB_OMPI_LIBS="$PB_OMPI_LIBS -l$pb_lib"
    done
    PB_MPI_LIBS=$PB_OMPI_LIBS

    # A component uses libopen-pal, and on 4.1 libopen-rte, beneath libmpi itself.
    pb_saved_libs=$LIBS
    pb_saved_cppflags=$CPPFLAGS
    for pb_lib in open-rte open-pal; do
        LIBS="-l$pb_lib $PB_OMPI_LIBS $pb_saved_libs"
        AC_MSG_CHECKING([for lib$pb_lib])
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes]); PB_OMPI_LIBS="$PB_OMPI_LIBS -l$pb_lib"],
            [AC_MSG_RESULT([no])])
    done

    # From 5.0 on Open MPI's headers include PMIx's, which may be a package of its own.
    AS_IF([test -f "$pb_devel/opal/mca/pmix/pmix-internal.h"], [PB_OMPI_PMIX])

    # The plugin's own header of what differs between the series is what has to build.
    CPPFLAGS="-I$srcdir/ompi_coll_pipebcast $PB_OMPI_CPPFLAGS $pb_saved_cppflags"
    LIBS="$PB_OMPI_LIBS $pb_saved_libs"
    AC_MSG_CHECKING([whether the devel headers compile and link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include "base/compat.h"
]], [[
        const opal_process_name_t name = ompi_group_get_proc_name(ompi_mpi_comm_world.comm.c_local_group, 0);
        return coll_pipebcast_host_of(&name) == NULL;]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([a program with the devel headers of Open MPI $PB_OMPI_VERSION does not build; see config.log.
  pipebcast knows Open MPI 4.1, 5.0 and 6.0.
  On Debian and Ubuntu: apt-get install libopenmpi-dev libhwloc-dev libevent-dev libpmix-dev])])
    LIBS=$pb_saved_libs
    CPPFLAGS=$pb_saved_cppflags

    AC_MSG_CHECKING([for the plugin folder])
    AS_IF([test -n "$with_plugindir" && test "x$with_plugindir" != xyes],
        [plugindir=$with_plugindir],
        [plugindir=`$OMPI_INFO --path pkglibdir --parsable 2>/dev/null | $SED -n 's/^path:pkglibdir://p'`])
    AS_IF([test -z "$plugindir"],
        [AC_MSG_ERROR([$OMPI_INFO --path pkglibdir tells nothing; name the folder: --with-plugindir=DIR])])
    AC_MSG_RESULT([$plugindir])

    AC_SUBST([PB_OMPI_VERSION])
    AC_SUBST([PB_OMPI_CPPFLAGS])
    AC_SUBST([PB_OMPI_LIBS])
    AC_SUBST([PB_MPI_LIBS])
    AC_SUBST([plugindir])
])

# PB_OMPI_PMIX: adds to PB_OMPI_CPPFLAGS and PB_OMPI_LIBS what PMIx needs, if anything.
AC_DEFUN([PB_OMPI_PMIX], [
    AC_REQUIRE([PKG_PROG_PKG_CONFIG])
    AC_MSG_CHECKING([for PMIx])
    pb_pmix=no
    for pb_try in beside-open-mpi pkg-config; do
        AS_IF([test $pb_pmix = no && test $pb_try = pkg-config], [
            for pb_dir in `$PKG_CONFIG --cflags-only-I pmix 2>/dev/null | $SED 's/-I//g'`; do
                PB_OMPI_CPPFLAGS="$PB_OMPI_CPPFLAGS -isystem $pb_dir"
            done
            PB_OMPI_LIBS="$PB_OMPI_LIBS `$PKG_CONFIG --libs-only-L pmix 2>/dev/null`"])
        CPPFLAGS="$PB_OMPI_CPPFLAGS $pb_saved_cppflags"
        LIBS="$PB_OMPI_LIBS -lpmix $pb_saved_libs"
        AS_IF([test $pb_pmix = no], [
            AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pmix.h>]], [[return PMIx_Initialized();]])],
                [pb_pmix=$pb_try])])
    done
    LIBS=$pb_saved_libs
    CPPFLAGS=$pb_saved_cppflags
    AS_IF([test $pb_pmix = no],
        [AC_MSG_RESULT([no])
         AC_MSG_ERROR([Open MPI $PB_OMPI_VERSION needs PMIx's headers and library, pmix.h and libpmix.
  On Debian and Ubuntu: apt-get install libpmix-dev])])
    AC_MSG_RESULT([$pb_pmix])
    PB_OMPI_LIBS="$PB_OMPI_LIBS -lpmix"
])
