# PB_ADAPTIVE: whether paper 4's adaptive broadcasts are built: the advisor, the probe, and what the plugin follows advice by.
AC_DEFUN([PB_ADAPTIVE], [
    AC_ARG_ENABLE([adaptive],
        [AS_HELP_STRING([--disable-adaptive],
            [leave out adaptive broadcasts: pipebcast-advisor, pipebcast-probe and the parameter advice_dir])],
        [], [enable_adaptive=yes])
    AM_CONDITIONAL([PB_ADAPTIVE], [test "x$enable_adaptive" != xno])
])
