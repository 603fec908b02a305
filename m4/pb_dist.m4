# PB_DIST
# Lets `make dist` make the same tarball, bit by bit, of the same source, whoever makes it and when: names
# in order, nobody's user and modes, and one time for all files, dist_time of the top Makefile.am. It
# needs GNU tar; with another one `make dist` works as Automake has it.
AC_DEFUN([PB_DIST], [
    AS_IF([tar --sort=name --version >/dev/null 2>&1],
        [am__tar='LC_ALL=C tar --format=ustar --sort=name --mtime="@$(dist_time)" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX,a-s --hard-dereference -chf - "$$tardir"'])
])
