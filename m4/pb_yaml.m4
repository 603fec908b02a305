# PB_YAML: libyaml by pkg-config, where it is found: Slurm's topology.yaml is read by it.
AC_DEFUN([PB_YAML], [
    AC_ARG_WITH([yaml],
        [AS_HELP_STRING([--without-yaml],
            [do without libyaml; Slurm's topology.yaml can then not be read @<:@default: used if found@:>@])],
        [], [with_yaml=check])
    PB_YAML_VERSION="none, topology.yaml cannot be read"
    AS_IF([test "x$with_yaml" != xno],
        [PKG_CHECK_MODULES([YAML], [yaml-0.1],
            [YAML_CFLAGS="$YAML_CFLAGS -DPB_HAVE_YAML=1"
             PB_YAML_VERSION=`$PKG_CONFIG --modversion yaml-0.1`],
            [AS_IF([test "x$with_yaml" = xyes],
                [AC_MSG_ERROR([libyaml was not found by $PKG_CONFIG.
  On Debian and Ubuntu: apt-get install libyaml-dev])])])])
    AC_SUBST([YAML_CFLAGS])
    AC_SUBST([YAML_LIBS])
    AC_SUBST([PB_YAML_VERSION])
])
