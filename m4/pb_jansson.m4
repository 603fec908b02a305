# PB_JANSSON: Jansson by pkg-config, by which the tools read and print JSON. Sets JANSSON_CFLAGS, JANSSON_LIBS
# and PB_JANSSON_VERSION.
AC_DEFUN([PB_JANSSON], [
    PKG_CHECK_MODULES([JANSSON], [jansson >= 2.11],
        [PB_JANSSON_VERSION=`$PKG_CONFIG --modversion jansson`],
        [AC_MSG_ERROR([Jansson 2.11 or later was not found by $PKG_CONFIG.
  On Debian and Ubuntu: apt-get install libjansson-dev])])
    AC_SUBST([PB_JANSSON_VERSION])
])
