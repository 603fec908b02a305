#!/bin/sh
# TAP test of pipebcast, the one name for all tools, in a directory of links to the programs as they are installed.
# FRONT and TOPO name programs; `make check` sets them.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
LC_ALL=C
export LC_ALL

# shellcheck source=test/tap.sh
. "$here/../../tap.sh"

bin=$work/bin
mkdir "$bin" || exit 1
ln -s "$FRONT" "$bin/pipebcast"
ln -s "$TOPO" "$bin/pipebcast-topo"
# shellcheck disable=SC2016 # the program's own words
printf '#!/bin/sh\nfor word in "$@"; do echo "<$word>"; done\nexit 7\n' >"$bin/pipebcast-bench"
chmod +x "$bin/pipebcast-bench"
PATH=/usr/bin:/bin

# front ARGUMENT...: runs pipebcast; outputs in $out and $err, status in $code.
front() {
    timeout 60 "$bin/pipebcast" "$@" >"$out" 2>"$err"
    code=$?
}

front
[ $code -eq 0 ] && [ ! -s "$err" ] && cp "$out" "$work/list"
report $? "without arguments it prints its commands"
for command in check show import explain doctor bench tune counters probe advise; do
    grep -q "^  $command  *[a-z]" "$work/list"
    report $? "$command is in the list"
done
for word in --help -h help; do
    front $word
    [ $code -eq 0 ] && cmp -s "$out" "$work/list"
    report $? "$word prints the same"
done
grep -q '^  tune .*(not installed)$' "$work/list" && ! grep -q '^  \(show\|bench\) .*(not inst' "$work/list"
report $? "the list has which programs are not installed"
[ "$(wc -l <"$work/list")" -le 45 ] && ! grep -q '.\{93\}' "$work/list"
report $? "the list fits a terminal"

front --version
[ $code -eq 0 ] && grep -q '^pipebcast [0-9.]* (built for Open MPI [0-9.]*)$' "$out"
report $? "--version"
front show --version
[ $code -eq 0 ] && grep -q '^pipebcast show [0-9]' "$out"
report $? "a command's --version"

echo 'SwitchName=s0 Nodes=n[0-3]' >"$work/one.conf"
front check "$work/one.conf"
[ $code -eq 0 ] && grep -q 'OK; 4 hosts on 1 switch' "$out"
report $? "check"
echo 'Nodes=n[0-3]' >"$work/faulty.conf"
front check "$work/faulty.conf"
[ $code -eq 1 ]
report $? "status 1 for an error"
front check "$work/one.conf" --colour
[ $code -eq 2 ] && grep -q '^pipebcast check: ' "$err" && grep -q 'see pipebcast check --help$' "$err"
report $? "status 2 for a wrong option, with the command's name"
front bench --sizes '1K 2K' '' "don't"
[ $code -eq 7 ] && [ "$(tr -d '\n' <"$out")" = "<--sizes><1K 2K><><don't>" ]
report $? "arguments and status are handed on as they are"
# A mpirun that prints its arguments, as the program above does.
cp "$bin/pipebcast-bench" "$bin/mpirun"
old=$PATH
PATH=$bin:$PATH
echo n0 >"$work/all hosts"
cd "$work" || exit 1
for hosts in '--hostfile all hosts' '--host n0,n1'; do
    front bench -m 1K "${hosts%% *}" "${hosts#* }" -c
    [ $code -eq 7 ] && [ "$(tr -d '\n' <"$out")" = \
        "<${hosts%% *}><${hosts#* }><-x><PIPEBCAST_HOSTS><--map-by><ppr:1:node><$bin/pipebcast-bench><-m><1K><-c>" ]
    report $? "$hosts starts mpirun with a rank on each host"
done
mkfifo pipe
mv "$bin/mpirun" "$bin/kept"
# shellcheck disable=SC2016 # the program's own words
printf '#!/bin/sh\ncat "$2"\n' >"$bin/mpirun"
chmod +x "$bin/mpirun"
timeout 60 sh -c 'echo n0 >pipe' &
front bench --hostfile pipe
[ "$(cat "$out")" = n0 ]
report $? "a pipe of hosts is read by mpirun alone"
mv "$bin/kept" "$bin/mpirun"
mv "all hosts" hosts
front bench --hostfile=hosts
[ $code -eq 7 ] && grep -q '^<hosts>$' "$out" && ! grep -q hostfile= "$out"
report $? "--hostfile=FILE"
front bench --hostfile hosts -c --host n0
[ $code -eq 7 ] && [ "$(head -4 "$out" | tr -d '\n')" = '<--hostfile><hosts><--host><n0>' ]
report $? "both --hostfile and --host"
# shellcheck disable=SC2016 # the program's own words
printf '#!/bin/sh\necho "$PIPEBCAST_HOSTS"\n' >"$bin/mpirun"
many=$(seq -s, -f 'node%05.0f' 1000)
front bench --host "$many"
[ $code -eq 0 ] && [ "$(cat "$out")" = "--host $many" ]
report $? "advice names all of a thousand hosts"
printf '#!/bin/sh\ncat\n' >"$bin/mpirun"
echo input | "$bin/pipebcast" bench --hostfile hosts >"$out" 2>"$err" && [ ! -s "$out" ]
report $? "mpirun takes no input from a script around the command"
cp "$bin/pipebcast-bench" "$bin/mpirun"
front bench --hostfile hosts --help
[ $code -eq 7 ] && [ "$(cat "$out")" = '<--help>' ]
report $? "--help starts no mpirun"
front check --hostfile hosts
[ $code -eq 2 ] && grep -q "'--hostfile' is unknown" "$err"
report $? "a command without MPI has no --hostfile"
front bench --hostfile nothing
[ $code -eq 2 ] && grep -q -e '--hostfile: nothing: No such file' "$err"
report $? "a file of hosts that is not there"
printf '# all\n\n' >none
for hosts in none . /dev/null /dev/stdin; do
    front bench --hostfile $hosts
    [ $code -eq 2 ] && grep -q -e "--hostfile: $hosts: .*; write the name of a host on each line" "$err"
    report $? "a file of hosts that names none: $hosts"
done
# A program that refuses one option, as the others do before MPI_Init, if nothing else is wanted of it.
mv "$bin/pipebcast-bench" "$bin/kept"
printf '#!/bin/sh\n[ "$PIPEBCAST_ONLY_OPTIONS" = 1 ] && [ "$1" = --wrong ] && exit 2\n' >"$bin/pipebcast-bench"
chmod +x "$bin/pipebcast-bench"
front bench --hostfile hosts --wrong
[ $code -eq 2 ] && [ ! -s "$out" ]
report $? "mpirun is not started with wrong options"
front bench --hostfile hosts --right
[ $code -eq 7 ] && [ "$(tail -1 "$out")" = '<--right>' ]
report $? "and its program gets no other option than those given"
mv "$bin/kept" "$bin/pipebcast-bench"
front bench --host
[ $code -eq 2 ] && grep -q -e '--host needs a value' "$err"
report $? "no hosts"
front import --version
[ $code -eq 0 ] && grep -q '^pipebcast [0-9]' "$out" && front import lldp --version && [ $code -eq 0 ]
report $? "the version of a script"
PATH=$old
rm "$bin/mpirun"
PATH=$bin "$bin/pipebcast" bench --hostfile hosts >"$out" 2>"$err"
[ $? -eq 1 ] && grep -q 'mpirun cannot be started: No such file' "$err" && grep -q "mpirun into PATH" "$err"
report $? "no mpirun"

front help explain
cp "$out" "$work/help"
front explain --help
[ $code -eq 0 ] && cmp -s "$out" "$work/help" && grep -q '^Usage: pipebcast explain ' "$out"
report $? "help COMMAND is COMMAND --help"
front help chek
[ $code -eq 2 ] && grep -q "^pipebcast: 'chek' is no command; see pipebcast --help" "$err"
report $? "help of no command"
front frobnicate
[ $code -eq 2 ] && grep -q "^pipebcast: 'frobnicate' is no command; see pipebcast --help" "$err"
report $? "no command"
front tune --help
[ $code -eq 1 ] && grep -q '^pipebcast: pipebcast-tune is not installed; on Debian the package pipebcast-mpi-tools' "$err"
report $? "a program that is not installed"

# Where a link leads to pipebcast from elsewhere, and by PATH.
mkdir "$work/elsewhere"
cp "$FRONT" "$work/elsewhere/pipebcast"
cp "$bin/pipebcast-bench" "$work/elsewhere/pipebcast-bench"
ln -s elsewhere/pipebcast "$work/link"
"$work/link" bench x >"$out" 2>"$err"
[ $? -eq 7 ]
report $? "programs are found next to what a link leads to"
mkdir -p "$work/libexec/pipebcast"
mv "$work/elsewhere/pipebcast-bench" "$work/libexec/pipebcast/pipebcast-bench"
"$work/link" bench x >"$out" 2>"$err"
[ $? -eq 7 ]
report $? "and in libexec next to that"
rm "$work/libexec/pipebcast/pipebcast-bench"
"$work/link" bench x >"$out" 2>"$err"
[ $? -eq 1 ] && grep -q 'not installed' "$err"
report $? "and nowhere else"
PATH=$bin:$PATH "$work/link" bench x >"$out" 2>"$err"
[ $? -eq 7 ]
report $? "but in PATH"
if [ -e /dev/full ]; then
    "$bin/pipebcast" --help 2>"$err" >/dev/full
    [ $? -eq 1 ] && grep -q 'standard output cannot be written' "$err"
    report $? "status 1 if the list cannot be printed"
else
    skip "status 1 if the list cannot be printed" "there is no /dev/full"
fi

echo "1..$count"
