# PB_JANSSON: Jansson by pkg-config, for the tools that read and print JSON. Without it they are built all the
# same, and what needs it names the package that is missing.
AC_DEFUN([PB_JANSSON], [
    AC_ARG_WITH([jansson],
        [AS_HELP_STRING([--without-jansson],
            [build the tools without import and --json, which take Jansson @<:@default=if there@:>@])],
        [], [with_jansson=check])
    pb_have_jansson=no
    PB_JANSSON_VERSION="none, so that pipebcast import and --json do not work (libjansson-dev has it)"
    AS_IF([test "$with_jansson" != no], [
        PKG_CHECK_MODULES([JANSSON], [jansson >= 2.11],
            [pb_have_jansson=yes
             PB_JANSSON_VERSION=`$PKG_CONFIG --modversion jansson`],
            [AS_IF([test "$with_jansson" = yes],
                [AC_MSG_ERROR([Jansson 2.11 or later was not found by $PKG_CONFIG.
  On Debian and Ubuntu: apt-get install libjansson-dev])])])])
    AM_CONDITIONAL([PB_HAVE_JANSSON], [test "$pb_have_jansson" = yes])
    AC_SUBST([PB_JANSSON_VERSION])
])
