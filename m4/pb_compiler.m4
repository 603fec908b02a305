# PB_PROG_CC_C11: the project is C11 with the POSIX and Linux interfaces of glibc.
AC_DEFUN([PB_PROG_CC_C11], [
    AC_MSG_CHECKING([whether $CC compiles C11])
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([
#if __STDC_VERSION__ < 201112L
#error not C11
#endif
_Static_assert(sizeof(int) >= 4, "int");])],
        [AC_MSG_RESULT([yes])],
        [pb_saved_cflags=$CFLAGS
         CFLAGS="$CFLAGS -std=gnu11"
         AC_COMPILE_IFELSE([AC_LANG_SOURCE([_Static_assert(sizeof(int) >= 4, "int");])],
             [AC_MSG_RESULT([with -std=gnu11])],
             [CFLAGS=$pb_saved_cflags
              AC_MSG_ERROR([a C11 compiler is needed, for example gcc 5 or clang 3.6])])])
])

# PB_COMPILER_WARNINGS: PB_CFLAGS, for every file: glibc's full interface, -Wall -Wextra where the compiler has them; --enable-werror for the project's own checks.
AC_DEFUN([PB_COMPILER_WARNINGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [treat warnings as errors (for developers)])])
    PB_CFLAGS="-D_GNU_SOURCE -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wpointer-arith"
    AS_IF([test "x$enable_werror" = xyes], [PB_CFLAGS="$PB_CFLAGS -Werror"])
    AC_SUBST([PB_CFLAGS])
])

# PB_SECTIONS: functions and data in sections of their own (in PB_CFLAGS), and PB_GC_LDFLAGS, by which the linker leaves out those that the plugin does not
# use; nothing where the linker cannot.
AC_DEFUN([PB_SECTIONS], [
    AC_MSG_CHECKING([whether the linker leaves out unused sections])
    pb_saved_cflags=$CFLAGS
    pb_saved_ldflags=$LDFLAGS
    CFLAGS="$CFLAGS -ffunction-sections -fdata-sections"
    LDFLAGS="$LDFLAGS -Wl,--gc-sections"
    PB_GC_LDFLAGS=
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [PB_CFLAGS="$PB_CFLAGS -ffunction-sections -fdata-sections"
         PB_GC_LDFLAGS="-Wl,--gc-sections"
         AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])])
    CFLAGS=$pb_saved_cflags
    LDFLAGS=$pb_saved_ldflags
    AC_SUBST([PB_GC_LDFLAGS])
])

# PB_SIZE: PB_SIZE_CFLAGS, for rooms that run once for each communicator: small code instead of fast, unless the user has asked for another than -O2.
AC_DEFUN([PB_SIZE], [
    AS_CASE([" $CFLAGS "], [*" -O2 "*], [PB_SIZE_CFLAGS=-Os], [PB_SIZE_CFLAGS=])
    AC_SUBST([PB_SIZE_CFLAGS])
])
