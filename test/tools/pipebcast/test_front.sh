#!/bin/sh
# TAP test of pipebcast, the one name for all tools, in a directory of links to the programs as they are installed.
# FRONT, TOPO, TESTBED and PROFILE name programs; `make check` sets them.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
LC_ALL=C
export LC_ALL

# shellcheck source=test/tap.sh
. "$here/../../tap.sh"

bin=$work/bin
mkdir "$bin" || exit 1
ln -s "$FRONT" "$bin/pipebcast"
ln -s "$TOPO" "$bin/pipebcast-topo"
ln -s "$TESTBED" "$bin/pipebcast-testbed"
ln -s "$PROFILE" "$bin/pipebcast-profile"
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
for command in check show import tree load simulate explain heights plan-times doctor counters bench tune probe \
    advise testbed fabric compare paper profile; do
    grep -q "^  $command  *[a-z]" "$work/list"
    report $? "$command is in the list"
done
for word in --help -h help; do
    front $word
    [ $code -eq 0 ] && cmp -s "$out" "$work/list"
    report $? "$word prints the same"
done
grep -q '^  tune .*(not installed)$' "$work/list" && ! grep -q '^  \(show\|bench\|testbed\) .*(not inst' "$work/list"
report $? "the list has which programs are not installed"
[ "$(wc -l <"$work/list")" -le 45 ] && ! grep -q '.\{93\}' "$work/list"
report $? "the list fits a terminal"

front --version
[ $code -eq 0 ] && grep -q '^pipebcast [0-9]' "$out"
report $? "--version"
front show --version
[ $code -eq 0 ] && grep -q '^pipebcast show [0-9]' "$out"
report $? "a command's --version"

for command in testbed profile; do
    front $command --version
    [ $code -eq 0 ] && grep -q "^pipebcast-$command [0-9]" "$out"
    report $? "$command --version"
done

echo 'SwitchName=s0 Nodes=n[0-3]' >"$work/one.conf"
front check "$work/one.conf"
[ $code -eq 0 ] && grep -q 'no fault; 4 hosts on 1 switch' "$out"
report $? "check"
front topo check "$work/one.conf"
[ $code -eq 0 ] && grep -q 'no fault; 4 hosts on 1 switch' "$out"
report $? "topo check, by the program's name"
echo 'SwitchName=s0 Nodes=n[0-3,2]' >"$work/faulty.conf"
front check "$work/faulty.conf"
[ $code -eq 1 ]
report $? "status 1 for a fault"
front check "$work/one.conf" --colour
[ $code -eq 2 ] && grep -q '^pipebcast check: ' "$err" && grep -q 'see pipebcast check --help$' "$err"
report $? "status 2 for a wrong option, with the command's name"
front bench --sizes '1K 2K' '' "don't"
[ $code -eq 7 ] && [ "$(tr -d '\n' <"$out")" = "<--sizes><1K 2K><><don't>" ]
report $? "arguments and status are handed on as they are"

front help explain
cp "$out" "$work/help"
front explain --help
[ $code -eq 0 ] && cmp -s "$out" "$work/help" && grep -q '^usage: pipebcast explain ' "$out"
report $? "help COMMAND is COMMAND --help"
front help testbed
[ $code -eq 0 ] && grep -q 'usage: pipebcast-testbed' "$out"
report $? "help of a script"
front profile --segments 8 8
[ $code -eq 2 ] && grep -q 'warning: --segments is called --segment-counts now; the next release' "$err"
report $? "an old name of an option of a script, with a warning"
front help chek
[ $code -eq 2 ] && grep -q "^pipebcast: 'chek' is no command" "$err"
report $? "help of no command"
front chek
[ $code -eq 2 ] && grep -q "^pipebcast: 'chek' is no command; see pipebcast --help" "$err"
report $? "no command"
front tune --help
[ $code -eq 1 ] && grep -q '^pipebcast: pipebcast-tune is not installed; on Debian the package pipebcast-mpi-tools' "$err"
report $? "a program that is not installed"

# Where a link leads to pipebcast from elsewhere, and by PATH.
mkdir "$work/elsewhere"
cp "$FRONT" "$work/elsewhere/pipebcast"
ln -s "$TOPO" "$work/elsewhere/pipebcast-topo"
ln -s elsewhere/pipebcast "$work/link"
"$work/link" check "$work/one.conf" >"$out" 2>"$err"
report $? "programs are found beside what a link leads to"
rm "$work/elsewhere/pipebcast-topo"
"$work/link" check "$work/one.conf" >"$out" 2>"$err"
[ $? -eq 1 ] && grep -q 'not installed' "$err"
report $? "and nowhere else"
PATH=$bin:$PATH "$work/link" check "$work/one.conf" >"$out" 2>"$err"
report $? "but in PATH"
if [ -e /dev/full ]; then
    "$bin/pipebcast" --help 2>"$err" >/dev/full
    [ $? -eq 1 ] && grep -q 'standard output cannot be written' "$err"
    report $? "status 1 if the list cannot be printed"
else
    skip "status 1 if the list cannot be printed" "there is no /dev/full"
fi

echo "1..$count"
