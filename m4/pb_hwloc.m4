# PB_HWLOC: hwloc by pkg-config; the levels inside a machine are read from it.
AC_DEFUN([PB_HWLOC], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0], [],
        [AC_MSG_ERROR([hwloc 2.0 or later was not found by $PKG_CONFIG.
  On Debian and Ubuntu: apt-get install libhwloc-dev])])
    PB_HWLOC_VERSION=`$PKG_CONFIG --modversion hwloc`
    AC_SUBST([PB_HWLOC_VERSION])
])
