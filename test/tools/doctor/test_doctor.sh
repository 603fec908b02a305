#!/bin/sh
# TAP test of pipebcast-doctor on this host alone: coll_pipebcast_hosts lets its ranks pass for hosts.
# Each finding is provoked once. DOCTOR, SILENT, PLUGINDIR and MPIEXEC name the programs and files;
# `make check` sets them.
DOCTOR=${DOCTOR:-pipebcast-doctor}
# shellcheck source=test/tap.sh
. "$(dirname "$0")/../../tap.sh"
run_mpi_here
golden=$(dirname "$0")/golden

if [ -z "${PLUGINDIR:-}" ] || [ ! -f "$PLUGINDIR/mca_coll_pipebcast.so" ]; then
    echo "1..0 # SKIP the plugin is not built"
    exit 0
fi
own=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
OMPI_MCA_mca_base_component_path=$PLUGINDIR:$own
OMPI_MCA_coll_pipebcast_hosts='n[0-7]'
export OMPI_MCA_mca_base_component_path OMPI_MCA_coll_pipebcast_hosts

# Lets one rank have settings of its own: apart RANK COMMANDS PROGRAM...
cat >"$work/apart" <<'END'
#!/bin/sh
rank=$1 commands=$2
shift 2
[ "${OMPI_COMM_WORLD_RANK:-$PMIX_RANK}" != "$rank" ] || eval "$commands"
exec "$@"
END
chmod +x "$work/apart"

# launch NP ARGUMENT...: a job; output in $out and $err, status in $code.
launch() {
    n_ranks=$1
    shift
    start_job "$n_ranks" "$@" >"$out" 2>"$err" </dev/null
    code=$?
}

# doctor NP ARGUMENT...: runs the program, without measuring.
doctor() {
    np=$1
    shift
    launch "$np" "$DOCTOR" --quick "$@"
}

# finds VERDICT TOPIC PATTERN: the page has such a finding; its lines are joined.
finds() {
    sed -e ':a' -e 'N' -e '$!ba' -e 's/\n  *\([^ ]\)/ \1/g' "$out" |
        grep -q -e "^$1 *$2 .*$3"
}

# ---- a cluster without an error

doctor 4
[ $code -eq 0 ] && sed -e 's/Open MPI v[^,]*/Open MPI VERSION/; s/pipebcast[- a-z]* [0-9][0-9.]*/PROGRAM VERSION/g' \
    -e 's/\(^OK *descriptors *\).*/\1N/' -e 's/broadcasts ([a-z]*)/broadcasts (KIND)/; s/rank 0 ([0-9]*)/rank 0 (N)/' "$out" >"$work/page"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/page" "$golden/pretended.expected"
cmp "$golden/pretended.expected" "$work/page" >>"$err" 2>&1
report $? "the page of pretended hosts"
! grep -q "$(printf '\033')" "$out"
report $? "a file gets no colors"

doctor 4 --json
[ $code -eq 0 ] && python3 - "$out" <<'END' >>"$err" 2>&1
import json, sys
page = json.load(open(sys.argv[1]))
assert set(page) == {"format", "program", "version", "ranks", "hosts", "verdict", "findings", "rates", "broadcasts", "multicast"}, page
assert page["format"] == 1 and page["ranks"] == 4 and page["hosts"] == 4, page
assert page["verdict"] == "WARNING" and page["rates"] == [] and page["broadcasts"] == [], page
topics = [finding["topic"] for finding in page["findings"]]
assert {"serving", "descriptors", "edges", "multicast"} <= set(topics), topics
assert all(set(f) == {"verdict", "topic", "text", "advice"} for f in page["findings"]), page
END
report $? "--json: the same as an object"

launch 4 "$DOCTOR" --sizes 8K,64K --time-limit 10 --json
python3 - "$out" <<'END' >>"$err" 2>&1
import json, sys
page = json.load(open(sys.argv[1]))
assert [rate["from"] for rate in page["rates"]] == ["n0", "n1", "n2", "n3"], page
assert [rate["to"] for rate in page["rates"]] == ["n1", "n2", "n3", "n0"], page
assert all(rate["measured_bits_per_second"] > 1e6 for rate in page["rates"]), page
assert [b["bytes"] for b in page["broadcasts"]] == [8192, 65536], page
assert all(b["pipebcast_s"] > 0 and b["fallback_s"] > 0 and b["how"] for b in page["broadcasts"]), page
END
report $? "rates of each host to the next, and broadcasts of both components"

OMPI_MCA_coll_pipebcast_hosts='n[0-1]'
launch 4 "$DOCTOR" --sizes 8K --time-limit 5 --json
OMPI_MCA_coll_pipebcast_hosts='n[0-7]'
python3 - "$out" <<'END' >>"$err" 2>&1
import json, sys
page = json.load(open(sys.argv[1]))
assert page["ranks"] == 4 and page["hosts"] == 2 and len(page["rates"]) == 2, page
assert len(page["broadcasts"]) == 1, page
END
report $? "several ranks of a host: one of them speaks for it"
OMPI_MCA_btl=self,vader
doctor 2
OMPI_MCA_btl=self,tcp
[ $code -eq 1 ] && finds ERROR serving 'do not go over TCP over Ethernet' &&
    finds WARNING transport 'which is not known to be TCP over Ethernet'
report $? "another transport"

# ---- the plugin

OMPI_MCA_coll=^pipebcast
export OMPI_MCA_coll
launch 2 "$DOCTOR" --sizes 8K --time-limit 1
unset OMPI_MCA_coll
[ $code -eq 1 ] && finds ERROR plugin 'not found pipebcast on any host.*ompi_info --param'
report $? "no plugin"

launch 4 "$work/apart" 2 'export OMPI_MCA_coll=^pipebcast' "$DOCTOR" --sizes 8K --time-limit 1
[ $code -eq 1 ] && finds ERROR plugin 'on n2' && finds WARNING broadcasts 'only the fallback component was measured'
report $? "no plugin on one host; the fallback component alone is measured"

unset OMPI_MCA_coll_pipebcast_hosts
doctor 2
[ $code -eq 0 ] && finds WARNING hosts 'all ranks are on the host' &&
    finds WARNING serving 'all ranks are on one host' && grep -q '2 ranks on 1 host$' "$out"
report $? "one host"
timeout 60 "$DOCTOR" >"$out" 2>"$err" </dev/null
[ $? -eq 2 ] && grep -q '^    pipebcast doctor --hostfile HOSTS$' "$err"
report $? "alone it says how to start it"
OMPI_MCA_coll_pipebcast_hosts='n[0-7]'
export OMPI_MCA_coll_pipebcast_hosts

# ---- parameters

launch 4 "$work/apart" 2 'export OMPI_MCA_coll_pipebcast_min_size=99' "$DOCTOR" --quick
[ $code -eq 1 ] && finds ERROR parameters 'coll_pipebcast_min_size differs: 0, but on n2 (99)' &&
    finds ERROR serving 'ranks have different parameters'
report $? "a parameter that differs on one rank"
launch 4 "$work/apart" 3 'export OMPI_MCA_coll_pipebcast_verbose=1 OMPI_MCA_btl_tcp_sndbuf=300000' "$DOCTOR" --quick
[ $code -eq 0 ] && finds WARNING parameters 'btl_tcp_sndbuf differs: .*, but on n3 (300000)'
report $? "parameters that may differ"
OMPI_MCA_coll_pipebcast_priority=-1
export OMPI_MCA_coll_pipebcast_priority
doctor 2
unset OMPI_MCA_coll_pipebcast_priority
[ $code -eq 1 ] && finds ERROR parameters 'coll_pipebcast_priority is -1' &&
    finds ERROR serving 'not used for broadcasts'
report $? "a priority below 0"
OMPI_MCA_coll_pipebcast_hosts='n[0-'
doctor 2
OMPI_MCA_coll_pipebcast_hosts='n[0-7]'
[ $code -eq 1 ] && finds ERROR parameters 'coll_pipebcast_hosts: '
report $? "an invalid list of hosts"

# ---- sockets, rates, descriptors

OMPI_MCA_btl_tcp_rcvbuf=100000
export OMPI_MCA_btl_tcp_rcvbuf
doctor 2
[ $code -eq 0 ] && finds WARNING sockets 'btl_tcp_rcvbuf 100000 bytes .*btl_tcp_rcvbuf 0'
report $? "a fixed socket buffer"
OMPI_MCA_btl_tcp_bandwidth_lo=40000
export OMPI_MCA_btl_tcp_bandwidth_lo
doctor 2
[ $code -eq 1 ] && finds ERROR sockets 'btl_tcp_rcvbuf 100000 bytes'
report $? "the same on a fast link"
unset OMPI_MCA_btl_tcp_rcvbuf
OMPI_MCA_btl_tcp_bandwidth_lo=1
launch 2 "$DOCTOR" --sizes 1K --time-limit 2
[ $code -eq 1 ] && finds ERROR rate 'report less than was measured.*of 1.00).*btl_tcp_bandwidth_eth0' &&
    finds OK transport 'on lo, 1 Mbit'
report $? "an interface that reports too little"
OMPI_MCA_btl_tcp_bandwidth_lo=4000000
launch 2 "$DOCTOR" --sizes 1K --time-limit 2
finds WARNING rate 'slower than they should be.*of 4000000)'
report $? "an interface that reports too much"
unset OMPI_MCA_btl_tcp_bandwidth_lo

launch 8 "$work/apart" 1 'ulimit -n 30' "$DOCTOR" --quick
[ $code -eq 1 ] && finds ERROR descriptors 'may open 30 (least: n1).*ulimit'
report $? "few descriptors on one host"

# ---- topology

topology=$work/cluster.conf
OMPI_MCA_coll_pipebcast_topology_file=$topology
export OMPI_MCA_coll_pipebcast_topology_file
cat >"$topology" <<'END'
SwitchName=s0 Nodes=n[0-1]
SwitchName=s1 Nodes=n[2-7]
SwitchName=s2 Switches=s[0-1]
END
doctor 4
[ $code -eq 0 ] && finds OK topology "8 hosts on 3 switches ($topology).*pipebcast tune --hostfile HOSTS --verify --topology $topology"
report $? "a topology file"
echo 'SwitchName=s0 Nodes=n[0-2]' >"$topology"
doctor 4
[ $code -eq 0 ] && finds WARNING topology "hosts that $topology lacks, .*: n3"
report $? "a host that it lacks"
echo 'SwitchName=s0 Nodes=n[0-' >"$topology"
doctor 4
[ $code -eq 0 ] && finds WARNING topology '.*cluster.conf:1: .*the bracket is not closed; ignored' && finds OK serving ''
report $? "one with an invalid line"
echo 'SwitchName=s0 Nodes=n[0-7]' >"$topology"
echo 'SwitchName=s1 Nodes=n[0-7]' >"$work/other.conf"
launch 4 "$work/apart" 1 "export OMPI_MCA_coll_pipebcast_topology_file=$work/other.conf" "$DOCTOR" --quick
[ $code -eq 1 ] && finds ERROR topology 'the file differs on n1'
report $? "one that differs"
mkdir "$work/slurm"
echo 'SwitchName=s0 Nodes=n[0-7]' >"$work/slurm/topology.conf"
printf -- '- topology: all\n  cluster_default: true\n  flat: true\n' >"$work/slurm/topology.yaml"
OMPI_MCA_coll_pipebcast_topology_file=$work/slurm/topology.conf
doctor 4
[ $code -eq 0 ] && finds WARNING topology '.*topology.yaml' && finds OK topology '8 hosts on 1 switch'
report $? "a topology.yaml next to it"
echo 'Multicast=auto' >"$work/slurm/topology.pipebcast"
doctor 4
[ $code -eq 0 ] && finds OK multicast 'auto, as the topology says'
report $? "multicast that topology.pipebcast allows"
OMPI_MCA_coll_pipebcast_multicast=off doctor 4
[ $code -eq 0 ] && finds OK multicast 'off, as the site has not allowed it'
report $? "multicast that the parameter forbids"
doctor 2 --multicast
[ $code -eq 0 ] && finds OK multicast 'is for 3 hosts or more, and these are 2'
report $? "multicast that is tried on two hosts"
unset OMPI_MCA_coll_pipebcast_topology_file
OMPI_MCA_coll_pipebcast_topology='SwitchName=s0 Nodes=n[0-3];SwitchName=s1 Nodes=n[4-7];SwitchName=s2 Switches=s[0-1]'
export OMPI_MCA_coll_pipebcast_topology
doctor 4
unset OMPI_MCA_coll_pipebcast_topology
[ $code -eq 0 ] && finds OK topology '8 hosts on 3 switches (the parameter coll_pipebcast_topology)'
report $? "one as a parameter"

# ---- model

model=$work/cluster.model
OMPI_MCA_coll_pipebcast_model_file=$model
export OMPI_MCA_coll_pipebcast_model_file
cat >"$model" <<'END'
pipebcast-model 2
topology any
transport ob1 btl tcp interface lo rate -
payload 1448
overhead 22
place switch links 2
cost 1024 10000 50000 10000 1000 1000
cost 16384 100000 200000 100000 1000 1000
END
doctor 2
[ $code -eq 0 ] && finds OK model "$model, measured over ob1 with btl tcp on lo"
report $? "a model"
sed -i '/^transport/d' "$model"
doctor 2
[ $code -eq 0 ] && finds WARNING model 'measured over an unknown transport.*pipebcast tune --hostfile'
report $? "one that does not name its transport"
OMPI_MCA_coll_pipebcast_topology_file=$work/slurm/topology.conf doctor 2
[ $code -eq 0 ] && finds WARNING model '.*pipebcast tune --hostfile .* --topology FILE --install'
report $? "the advice to measure has the topology that is used"
sed -i 's/^payload/transport ucx btl - interface - rate -\npayload/' "$model"
doctor 2
[ $code -eq 1 ] && finds ERROR model 'measured over ucx.*is not used here: costs are assumed'
report $? "one of another transport"
echo nonsense >"$model"
doctor 2
[ $code -eq 1 ] && finds ERROR model 'cannot be used on n0: .*cluster.model:1: '
report $? "an invalid one"
unset OMPI_MCA_coll_pipebcast_model_file

# ---- it ends

launch 5 "$work/apart" 2 "exec '$SILENT'" "$DOCTOR" --quick --patience 2
[ $code -ne 0 ] && [ $code -ne 124 ] &&
    finds ERROR ranks '1 of 5 ranks do not answer within 2 s: .*(rank 2)'
report $? "a silent rank is named, and the job ends"

launch 3 "$work/apart" 2 'exec sleep 100' "$DOCTOR" --quick --patience 1
[ $code -ne 0 ] && [ $code -ne 124 ] && finds ERROR hangs 'MPI_Init did not end within 3 s'
report $? "a rank that does not begin"

launch 3 "$DOCTOR" --sizes 256M --time-limit 0.1 --patience 0.1
[ $code -ne 0 ] && [ $code -ne 124 ] && finds ERROR hangs 'did not end within'
report $? "what takes too long ends with the page"

# refuses PATTERN ARGUMENT...: one message, status 2.
refuses() {
    pattern=$1
    shift
    timeout 60 "$DOCTOR" "$@" >"$out" 2>"$err" </dev/null
    [ $? -eq 2 ] && [ "$(grep -c -e "^pipebcast.doctor: .*$pattern" "$err")" -eq 1 ]
    report $? "refuses $*"
}
refuses 'not a size' --sizes 1Q
refuses 'not a size' -m 257M
refuses 'more than 16 sizes' --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
refuses 'time-limit' --time-limit 0
refuses 'patience' --patience nan
refuses 'no option' 64K

launch 2 "$DOCTOR" --version
[ $code -eq 0 ] && [ "$(grep -c '^pipebcast-doctor [0-9]' "$out")" -eq 1 ]
report $? "--version is printed once"
launch 2 "$DOCTOR" --help
[ $code -eq 0 ] && [ "$(grep -c '^Usage' "$out")" -eq 1 ]
report $? "--help is printed once"
echo "1..$count"
