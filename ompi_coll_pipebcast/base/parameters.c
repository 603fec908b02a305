/*
 * Registers and checks the parameters coll_pipebcast_*, and reads the settings.
 */
#include "base/parameters.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/settings.h"
#include "engine/transfer.h"

coll_pipebcast_params_t coll_pipebcast_params;
coll_pipebcast_settings_t coll_pipebcast_first_settings;

/** Defaults; set again at each registration, since MPI_T may be initialized twice in a process. */
static const coll_pipebcast_params_t defaults = {
    .priority = 40,
    .algorithm = COLL_PIPEBCAST_AUTO,
    .locality = COLL_PIPEBCAST_LOCALITY_AUTO,
    .leaders = COLL_PIPEBCAST_LEADERS_AUTO,
    .transport = COLL_PIPEBCAST_TRANSPORT_AUTO,
    .arrival = COLL_PIPEBCAST_ARRIVAL_AUTO,
    .learn = COLL_PIPEBCAST_LEARN_ON,
    .multicast = COLL_PIPEBCAST_MULTICAST_BY_TOPOLOGY,
    .multicast_checksum = COLL_PIPEBCAST_CHECKSUM_AUTO,
    .multicast_buffer = 4 << 20,
    .arrival_wait = 1 << 20,
    .fanout = PB_DEFAULT_FANOUT,
    .segment_size = 0,
    .limits = {.receive_window = 16, .send_window = 8, .ahead = 1 << 20},
    .cache_size = 4 << 20,
    .connections = 0,
    .verbose = 0,
};

/* Names of values, from 0 on. */
static const char *const algorithms[] = {NULL}; /**< auto, -1, and the kinds of trees */
static const char *const arrivals[] = {"off", "auto", "b", "nb", NULL};
static const char *const checksums[] = {"off", "on", "auto", NULL};
static const char *const leaders[] = {"off", "auto", NULL};
static const char *const learnings[] = {"off", "on", NULL};
static const char *const localities[] = {"host", "auto", NULL};
static const char *const multicasts[] = {"off", "auto", "on", "topology", NULL};
static const char *const transports[] = {"auto", "any", NULL};

enum {
    INT = MCA_BASE_VAR_TYPE_INT,
    SIZE = MCA_BASE_VAR_TYPE_SIZE_T,
    TEXT = MCA_BASE_VAR_TYPE_STRING,
};

/** Scopes: the processes that may change a parameter by MPI_T while a program runs. */
enum {
    READONLY = MCA_BASE_VAR_SCOPE_READONLY,
    LOCAL = MCA_BASE_VAR_SCOPE_LOCAL,    /**< any process */
    SETTING = MCA_BASE_VAR_SCOPE_ALL_EQ, /**< all, for communicators that are made later */
};

static const struct {
    const char *name;
    int type;
    const char *const *values; /**< names; NULL: it has none */
    mca_base_var_info_lvl_t level;
    int scope;
    void *storage;
    const char *help;
} parameters[] = {
    {"priority", INT, NULL, OPAL_INFO_LVL_6, SETTING, &coll_pipebcast_params.priority,
     "Priority of the component, 0 to 100, alike on all hosts; the highest serves a "
     "communicator. Below 0: never used. MPI_T may change it for communicators that are made "
     "later. (default: 40, above tuned's 30)"},
    {"verbose", INT, NULL, OPAL_INFO_LVL_1, LOCAL, &coll_pipebcast_params.verbose,
     "Lines that the component prints of itself. 0: only what is wrong; 1: a line per "
     "communicator; 10: also a line per size class of its broadcasts. "
     "MPI_T may change it in any process, from then on. (default: 0)"},
    {"topology_file", TEXT, NULL, OPAL_INFO_LVL_1, READONLY, &coll_pipebcast_params.topology_file,
     "File that describes the switches and hosts, in the form of Slurm's topology.conf or "
     "topology.yaml, alike on all hosts. (default: none, the hosts' addresses in the "
     "environment, or else one switch)"},
    {"topology_name", TEXT, NULL, OPAL_INFO_LVL_4, READONLY, &coll_pipebcast_params.topology_name,
     "Which topology of a topology.yaml is used, alike on all hosts. (default: the one of "
     "the job's Slurm partition, by the slurm.conf next to it, or else of the cluster)"},
    {"topology", TEXT, NULL, OPAL_INFO_LVL_4, READONLY, &coll_pipebcast_params.topology,
     "Text of a topology file itself, its lines separated by ';'. Used if topology_file is not "
     "set. (default: none)"},
    {"model_file", TEXT, NULL, OPAL_INFO_LVL_4, READONLY, &coll_pipebcast_params.model_file,
     "File of measured message costs that pipebcast tune has written, by which tree and segment "
     "size are chosen, alike on all hosts. (default: none, costs are assumed from the speed "
     "and MTU of the interface that Open MPI uses)"},
    {"locality", INT, localities, OPAL_INFO_LVL_5, READONLY, &coll_pipebcast_params.locality,
     "Which ranks of a host are near to each other. auto: those that are bound to the "
     "same package, NUMA node or cache, by hwloc. host: all alike. (default: auto)"},
    {"leaders", INT, leaders, OPAL_INFO_LVL_5, READONLY, &coll_pipebcast_params.leaders,
     "Whether one rank of each host, its leader, is in the trees between hosts, and passes the "
     "message on inside in longer pieces. auto: in all trees that are free of contention, and "
     "with multicast. off: all ranks may be in trees between hosts, and segments go everywhere. "
     "(default: auto)"},
    {"transport", INT, transports, OPAL_INFO_LVL_4, READONLY, &coll_pipebcast_params.transport,
     "Transports between hosts over which broadcasts are served; over others the fallback "
     "component serves. auto: TCP over Ethernet. Also any where the model file was measured on "
     "it, or where algorithm, arrival b or nb, or advice_dir is set. any: all. (default: auto)"},
    {"hosts", TEXT, NULL, OPAL_INFO_LVL_9, READONLY, &coll_pipebcast_params.hosts,
     "For trials on one host: names of hosts, such as n[0-3]. Ranks are taken to be on them "
     "in turn, again from the first when the list ends. (default: none)"},
    {"processors", TEXT, NULL, OPAL_INFO_LVL_9, READONLY, &coll_pipebcast_params.processors,
     "For trials on one host: numbers of processors, separated by commas, to which the job's "
     "ranks in turn are taken to be bound. HWLOC_XMLFILE may name another host's recorded "
     "topology. (default: none)"},
    {"algorithm", INT, algorithms, OPAL_INFO_LVL_1, SETTING, &coll_pipebcast_params.algorithm,
     "Tree down which a message is broadcast. auto: the one that is predicted to be "
     "fastest for the message's size, or the fallback component. pipebcast(7) has the others. "
     "MPI_T may change it on all ranks, for communicators that are made later. (default: auto)"},
    {"segment_size", SIZE, NULL, OPAL_INFO_LVL_1, SETTING, &coll_pipebcast_params.segment_size,
     "Bytes of a segment of a pipelined message, 16 to 1073741824. 0: as many as are predicted "
     "to be fastest. MPI_T may change it, as algorithm. (default: 0)"},
    {"min_size", SIZE, NULL, OPAL_INFO_LVL_4, READONLY, &coll_pipebcast_params.min_size,
     "Bytes of the smallest message that is considered, counted as the packed size of the whole "
     "message. Smaller ones go to the fallback component. 0 stands for 1, or 1024 with more than "
     "512 ranks. (default: 0)"},
    {"fanout", INT, NULL, OPAL_INFO_LVL_6, READONLY, &coll_pipebcast_params.fanout,
     "Children of a rank in algorithm kary, 1 to 64. (default: 8)"},
    {"arrival", INT, arrivals, OPAL_INFO_LVL_4, SETTING, &coll_pipebcast_params.arrival,
     "Service of ranks that arrive late at a broadcast. off: all wait as the tree has it. b: "
     "ranks are served in groups as they arrive, so that the early do not wait for the late. nb: "
     "the same, and data are also sent to ranks that have not arrived, where they wait. With "
     "algorithm flat, the whole message then goes to one rank after another. auto: as nb while "
     "arrivals are uneven. Data go to absent ranks then only after no rank has arrived for as "
     "long as the message takes. Without effect where advice_dir is set. MPI_T may change it, as "
     "algorithm. (default: auto)"},
    {"learn", INT, learnings, OPAL_INFO_LVL_4, SETTING, &coll_pipebcast_params.learn,
     "Whether measured times of broadcasts correct the choice of tree and segment size. off: "
     "predictions alone decide. on: what may be faster is tried, in at most 5 % of the time "
     "of broadcasts after the first ones. Without effect where advice_dir is set, or arrival "
     "is b or nb. MPI_T may change it, as algorithm. (default: on)"},
    {"arrival_wait", SIZE, NULL, OPAL_INFO_LVL_6, READONLY, &coll_pipebcast_params.arrival_wait,
     "Bytes per communicator that arrival nb and auto may send to a rank before it has arrived, "
     "and that its host holds for it. Each broadcast counts for 256 more. Over TCP, set "
     "btl_tcp_rcvbuf to as much: what does not fit into the receiver's buffer is sent when it "
     "arrives. (default: 1048576)"},
    {"multicast", INT, multicasts, OPAL_INFO_LVL_1, READONLY, &coll_pipebcast_params.multicast,
     "Whether broadcasts may go by IP multicast: switches copy datagrams, and lost ones are "
     "repaired over Open MPI's own connections. Switches without IGMP snooping send them to "
     "every port, so it is off by default. off: never. auto: where a probe finds that it works, "
     "over Ethernet of at most 10 Gbit/s, to three hosts or more. Not with "
     "advice_dir or arrival b or nb. Algorithm must be multicast, or auto in a communicator with "
     "more than half of its job's ranks. on: the same, however fast the links are, for parts of a "
     "job too, and also where coll_pipebcast_hosts is set. topology: as the line "
     "'#pipebcast Multicast=auto' (or on) of the topology file says, or 'Multicast=auto' in "
     "topology.pipebcast, and off without one. "
     "(default: topology)"},
    {"multicast_checksum", INT, checksums, OPAL_INFO_LVL_6, READONLY,
     &coll_pipebcast_params.multicast_checksum,
     "Whether each datagram of multicast has a checksum with a key, so that nobody on the "
     "network can forge one. The root of a communicator's first broadcast decides. It costs "
     "processor time. auto: where that is less than 5 % of a byte's time on the slowest host's "
     "link, so up to 1 Gbit/s. (default: auto)"},
    {"multicast_buffer", SIZE, NULL, OPAL_INFO_LVL_8, READONLY,
     &coll_pipebcast_params.multicast_buffer,
     "Bytes of the receive buffer of multicast that each process asks the kernel for, which "
     "gives an ordinary user at most net.core.rmem_max. Half of the smallest of all ranks "
     "may be sent without an acknowledgement. (default: 4194304)"},
    {"receive_window", INT, NULL, OPAL_INFO_LVL_8, READONLY,
     &coll_pipebcast_params.limits.receive_window,
     "Segments for which receives are posted ahead, per parent, 1 to 64. (default: 16)"},
    {"send_window", INT, NULL, OPAL_INFO_LVL_8, READONLY, &coll_pipebcast_params.limits.send_window,
     "Segments under way to each child, 1 to 64. (default: 8)"},
    {"ahead", SIZE, NULL, OPAL_INFO_LVL_8, READONLY, &coll_pipebcast_params.limits.ahead,
     "Bytes that may wait unreceived at a rank that is late, per broadcast, from all its "
     "parents; these then wait for it. 0: no bound. (default: 1048576)"},
    {"cache_size", SIZE, NULL, OPAL_INFO_LVL_8, READONLY, &coll_pipebcast_params.cache_size,
     "Bytes per communicator for choices, this rank's roles in the trees of different roots, "
     "and tables that make trees of further roots faster. (default: 4194304)"},
    {"connections", INT, NULL, OPAL_INFO_LVL_6, READONLY, &coll_pipebcast_params.connections,
     "Processes that one process may have as neighbors in the trees of a communicator, and so "
     "needs connections to. A larger communicator has no leaders. Beyond that number trees are "
     "used whose neighbors are the same for all roots. At least 2; the least of all ranks counts. "
     "0: 25 % of the limit of descriptors (ulimit -n), or 50 % of those that are not open if that "
     "is less. (default: 0)"},
};
enum { N_PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };

/** The values of a parameter as Open MPI wants them; to be released. NULL: they have no names. */
static mca_base_var_enum_t *names_of(int which)
{
    mca_base_var_enum_value_t values[PB_KIND_COUNT + 2];
    const char *const *names = parameters[which].values;
    mca_base_var_enum_t *result = NULL;
    int n = 0;
    if (names == NULL) {
        return NULL;
    }
    if (names == algorithms) {
        values[n++] = (mca_base_var_enum_value_t){COLL_PIPEBCAST_AUTO, "auto"};
        for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
            values[n++] = (mca_base_var_enum_value_t){kind, pb_kind_name((pb_kind_t) kind)};
        }
    }
    for (int i = 0; names[i] != NULL; i++) {
        values[n++] = (mca_base_var_enum_value_t){i, names[i]};
    }
    values[n] = (mca_base_var_enum_value_t){0, NULL};
    (void) mca_base_var_enum_create(parameters[which].name, values, &result);
    return result;
}

void coll_pipebcast_params_register(const mca_base_component_t *component)
{
    coll_pipebcast_params = defaults;
    for (int i = 0; i < N_PARAMETERS; i++) {
        mca_base_var_enum_t *names = names_of(i);
        (void) mca_base_component_var_register(
            component, parameters[i].name, parameters[i].help,
            (mca_base_var_type_t) parameters[i].type, names, 0,
            parameters[i].scope == READONLY ? 0 : MCA_BASE_VAR_FLAG_SETTABLE, parameters[i].level,
            (mca_base_var_scope_t) parameters[i].scope, parameters[i].storage);
        if (names != NULL) {
            OBJ_RELEASE(names);
        }
    }
}

/** Bytes of a line for each parameter that may be out of range. */
#define WRONG_SIZE 512

/** Adds a line to the list of the parameters that are out of range. */
static void add_wrong(char list[WRONG_SIZE], const char *name, long long value, long long low,
                      long long high)
{
    const size_t length = strlen(list);
    snprintf(list + length, WRONG_SIZE - length,
             "coll_pipebcast_%s is %lld, but must be %lld to %lld.\n", name, value, low, high);
}

/** Lists an int parameter that is out of range and sets it to its default. */
static void check_int(char wrong[WRONG_SIZE], const char *name, int *value, int low, int high,
                      int by_default)
{
    if (*value < low || *value > high) {
        add_wrong(wrong, name, *value, low, high);
        *value = by_default;
    }
}

/** Reads the parameters as they are now. MPI_T writes each by one store, at any time. */
static coll_pipebcast_settings_t read_settings(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    return (coll_pipebcast_settings_t){
        .algorithm = __atomic_load_n(&params->algorithm, __ATOMIC_RELAXED),
        .arrival = __atomic_load_n(&params->arrival, __ATOMIC_RELAXED),
        .learn = __atomic_load_n(&params->learn, __ATOMIC_RELAXED),
        .segment_size = __atomic_load_n(&params->segment_size, __ATOMIC_RELAXED),
    };
}

void coll_pipebcast_params_check(void)
{
    coll_pipebcast_params_t *p = &coll_pipebcast_params;
    char wrong[WRONG_SIZE] = "";
    check_int(wrong, "fanout", &p->fanout, 1, 64, defaults.fanout);
    check_int(wrong, "receive_window", &p->limits.receive_window, 1, PB_TRANSFER_MAX_WINDOW,
              defaults.limits.receive_window);
    check_int(wrong, "send_window", &p->limits.send_window, 1, PB_TRANSFER_MAX_WINDOW,
              defaults.limits.send_window);
    if (p->connections != 0) {
        check_int(wrong, "connections", &p->connections, 2, INT_MAX, defaults.connections);
    }
    if (!coll_pipebcast_is_segment_size(p->segment_size)) {
        add_wrong(wrong, "segment_size", (long long) p->segment_size, COLL_PIPEBCAST_MIN_SEGMENT,
                  COLL_PIPEBCAST_MAX_SEGMENT);
        p->segment_size = defaults.segment_size;
    }
    if (wrong[0] != '\0') {
        coll_pipebcast_help_each(PB_HELP_PARAMETER_RANGE, wrong);
    }
    coll_pipebcast_first_settings = read_settings();
}

coll_pipebcast_settings_t coll_pipebcast_settings_now(void)
{
    coll_pipebcast_settings_t settings = read_settings();
    if (!coll_pipebcast_is_segment_size(settings.segment_size)) {
        coll_pipebcast_help_each(PB_HELP_SEGMENT_SIZE, settings.segment_size,
                                 COLL_PIPEBCAST_MIN_SEGMENT, COLL_PIPEBCAST_MAX_SEGMENT);
        settings.segment_size = coll_pipebcast_first_settings.segment_size;
    }
    return settings;
}
