# PB_JANSSON: Jansson by pkg-config, for the tools that read JSON. Without it they are built all the
# same, and what needs it names the package that is missing.
AC_DEFUN([PB_JANSSON], [
    PKG_CHECK_MODULES([JANSSON], [jansson >= 2.11],
        [pb_have_jansson=yes
         PB_JANSSON_VERSION=`$PKG_CONFIG --modversion jansson`],
        [pb_have_jansson=no
         PB_JANSSON_VERSION="none: pipebcast-topo import will not work (libjansson-dev)"])
    AM_CONDITIONAL([PB_HAVE_JANSSON], [test "$pb_have_jansson" = yes])
    AC_SUBST([PB_JANSSON_VERSION])
])
