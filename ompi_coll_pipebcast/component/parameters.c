/*
 * Registers and checks the parameters coll_pipebcast_*.
 */
#include "component/parameters.h"

#include "communicator/locality.h"
#include "component/component.h"
#include "component/log.h"
#include "engine/transfer.h"
#include "topo/trees/plan.h"

/** Defaults; set again at each registration, since MPI_T may initialise twice in a process. */
static const coll_pipebcast_params_t defaults = {
    .priority = 40,
    .algorithm = COLL_PIPEBCAST_AUTO,
    .locality = COLL_PIPEBCAST_LOCALITY_AUTO,
    .arrival = COLL_PIPEBCAST_ARRIVAL_AUTO,
    .arrival_wait = 1 << 20,
    .fanout = 3,
    .segment_size = 0,
    .min_size = 1024,
    .receive_window = 16,
    .send_window = 8,
    .ahead = 1 << 20,
    .cache_size = 1 << 20,
    .autoload = true,
    .verbose = 0,
};

static void add(const char *name, mca_base_var_type_t type, mca_base_var_enum_t *values,
                mca_base_var_info_lvl_t level, void *storage, const char *help)
{
    (void) mca_base_component_var_register(&mca_coll_pipebcast_component.super.collm_version, name,
                                           help, type, values, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static const mca_base_var_enum_value_t algorithms_beyond[COLL_PIPEBCAST_N_BEYOND] = {
    {COLL_PIPEBCAST_ARRIVAL_B, "arrival_b"},
    {COLL_PIPEBCAST_ARRIVAL_NB, "arrival_nb"},
    {COLL_PIPEBCAST_FLAT_NB, "flat_nb"},
    {COLL_PIPEBCAST_ADAPTIVE, "adaptive"},
};

const char *coll_pipebcast_algorithm_name(int algorithm)
{
    for (int i = 0; i < COLL_PIPEBCAST_N_BEYOND; i++) {
        if (algorithms_beyond[i].value == algorithm) {
            return algorithms_beyond[i].string;
        }
    }
    return pb_kind_name((pb_kind_t) algorithm);
}

static const mca_base_var_enum_value_t arrival_values[] = {
    {COLL_PIPEBCAST_ARRIVAL_OFF, "off"},
    {COLL_PIPEBCAST_ARRIVAL_ON, "on"},
    {COLL_PIPEBCAST_ARRIVAL_AUTO, "auto"},
    {0, NULL},
};

static const mca_base_var_enum_value_t locality_values[] = {
    {COLL_PIPEBCAST_LOCALITY_HOST, "machine"},
    {COLL_PIPEBCAST_LOCALITY_AUTO, "auto"},
    {0, NULL},
};

/** The enumeration of algorithm names: auto, every kind of plan, and what minds arrivals. */
static mca_base_var_enum_t *algorithm_names(void)
{
    mca_base_var_enum_value_t values[PB_KIND_COUNT + COLL_PIPEBCAST_N_BEYOND + 2];
    mca_base_var_enum_t *names = NULL;
    int n = 0;
    values[n++] = (mca_base_var_enum_value_t){COLL_PIPEBCAST_AUTO, "auto"};
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        values[n++] = (mca_base_var_enum_value_t){kind, pb_kind_name(kind)};
    }
    for (int i = 0; i < COLL_PIPEBCAST_N_BEYOND; i++) {
        values[n++] = algorithms_beyond[i];
    }
    values[n] = (mca_base_var_enum_value_t){0, NULL};
    (void) mca_base_var_enum_create("coll_pipebcast_algorithms", values, &names);
    return names;
}

int coll_pipebcast_params_register(void)
{
    coll_pipebcast_params_t *p = &mca_coll_pipebcast_component.params;
    *p = defaults;

    add("priority", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_6, &p->priority,
        "Priority of the component, 0 to 100, alike on all hosts; the highest serves a "
        "communicator. Below 0: never used. (default: 40, above tuned's 30)");
    add("topology_file", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_3, &p->topology_file,
        "File that describes the switches and hosts, in the form of Slurm's topology.conf, "
        "alike on all hosts. (default: none, all hosts are on one switch)");
    add("topology", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_3, &p->topology,
        "The text of a topology file itself, its lines separated by ';'. Used if topology_file is "
        "not "
        "set. (default: none)");
    add("model_file", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_3, &p->model_file,
        "File of measured message costs that pipebcast-tune has written, by which algorithm and "
        "segment size are chosen, alike on all hosts. (default: none, costs are assumed from the "
        "link's speed and MTU)");
    add("advice_dir", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_3, &p->advice_dir,
        "Directory that algorithm adaptive shares with pipebcast-advisor: there the root finds the "
        "trees to use, and the ranks write how fast their parents delivered. It must be "
        "writable. (default: none)");
    add("hosts", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_9, &p->hosts,
        "For trying things on one host: a list of host names such as n[0-3] that are taken for "
        "the hosts of the job's ranks in turn, again from the first when the list ends. (default: "
        "none, the launcher knows the hosts)");
    add("processors", MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_9, &p->processors,
        "For trying things on one host: numbers of processors, separated by commas, to which the "
        "job's ranks in turn are taken to be bound; with another host's recorded topology if "
        "HWLOC_XMLFILE names it. (default: none, what they are bound to)");
    mca_base_var_enum_t *names = NULL;
    (void) mca_base_var_enum_create("coll_pipebcast_locality", locality_values, &names);
    add("locality", MCA_BASE_VAR_TYPE_INT, names, OPAL_INFO_LVL_5, &p->locality,
        "What is near inside a host with several ranks. auto: ranks that are bound to the same "
        "package, NUMA node or cache, by hwloc; machine: all alike. (default: auto)");
    if (names != NULL) {
        OBJ_RELEASE(names);
    }
    names = algorithm_names();
    add("algorithm", MCA_BASE_VAR_TYPE_INT, names, OPAL_INFO_LVL_4, &p->algorithm,
        "How a message is broadcast. auto: as is predicted to be fastest for its size, the "
        "fallback component included. arrival_b: the same, to groups of ranks as they "
        "arrive; arrival_nb: data also wait at those who have not arrived; flat_nb: the whole "
        "message to each rank in turn, for comparison; adaptive: down the tree that "
        "pipebcast-advisor advises for the network as it is now, see advice_dir. (default: auto)");
    if (names != NULL) {
        OBJ_RELEASE(names);
    }
    names = NULL;
    (void) mca_base_var_enum_create("coll_pipebcast_arrival", arrival_values, &names);
    add("arrival", MCA_BASE_VAR_TYPE_INT, names, OPAL_INFO_LVL_4, &p->arrival,
        "Whether a broadcast serves ranks in groups as they arrive, so that the early do not wait "
        "for the late, with any algorithm. auto: while arrivals are found to be uneven. on: "
        "always. off: only if the algorithm is an arrival_ one. (default: auto)");
    if (names != NULL) {
        OBJ_RELEASE(names);
    }
    add("arrival_wait", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_6, &p->arrival_wait,
        "Bytes per communicator that algorithm arrival_nb may send to a rank before it has "
        "arrived, "
        "and that its host holds for it; over TCP, set btl_tcp_rcvbuf to as much: what does not "
        "fit "
        "into the receiver's buffer is sent when it arrives. (default: 1048576)");
    add("fanout", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_6, &p->fanout,
        "Children of a rank in algorithm kary, 1 to 64. (default: 3)");
    add("segment_size", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_4, &p->segment_size,
        "Bytes of a segment of a pipelined message, 16 to 1 GiB. 0: as is predicted to be fastest. "
        "(default: 0)");
    add("min_size", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_4, &p->min_size,
        "Bytes of the smallest message that is looked at, counted as the packed size of the whole "
        "message; smaller ones go to the fallback component without further thought. (default: "
        "1024)");
    add("receive_window", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_8, &p->receive_window,
        "Segments for which receives are posted ahead, per parent, 1 to 64. (default: 16)");
    add("send_window", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_8, &p->send_window,
        "Segments under way to each child, 1 to 64. (default: 8)");
    add("ahead", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_8, &p->ahead,
        "Bytes that may wait unreceived at a rank that is late, per broadcast, from all its "
        "parents; these then wait for it. 0: no bound. (default: 1048576)");
    add("cache_size", MCA_BASE_VAR_TYPE_SIZE_T, NULL, OPAL_INFO_LVL_8, &p->cache_size,
        "Bytes of memory per communicator in which this rank's places in the trees of different "
        "roots are kept. (default: 1048576)");
    add("autoload", MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_6, &p->autoload,
        "Whether to load the components that every communicator needs (basic, libnbc, self, inter) "
        "when the parameter coll is a list without them, such as pipebcast,tuned. (default: true)");
    add("verbose", MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_3, &p->verbose,
        "What the component tells about itself. 0: only what is wrong; 1: a line per "
        "communicator; 10: also a line per size class of its broadcasts; 20: also what roots see "
        "of arrivals. (default: 0)");
    return OMPI_SUCCESS;
}

static void check_range(const char *name, long long value, long long low, long long high)
{
    if (value < low || value > high) {
        coll_pipebcast_warn(
            "the parameter coll_pipebcast_%s is %lld, but must be %lld to %lld. Its "
            "default is used.",
            name, value, low, high);
    }
}

/** Reports an int parameter that is out of range and sets it to its default. */
static void check_int(const char *name, int *value, int low, int high, int by_default)
{
    check_range(name, *value, low, high);
    if (*value < low || *value > high) {
        *value = by_default;
    }
}

void coll_pipebcast_params_check(void)
{
    coll_pipebcast_params_t *p = &mca_coll_pipebcast_component.params;
    check_int("fanout", &p->fanout, 1, 64, defaults.fanout);
    check_int("receive_window", &p->receive_window, 1, PB_TRANSFER_MAX_WINDOW,
              defaults.receive_window);
    check_int("send_window", &p->send_window, 1, PB_TRANSFER_MAX_WINDOW, defaults.send_window);
    if (p->segment_size != 0 && (p->segment_size < COLL_PIPEBCAST_MIN_SEGMENT ||
                                 p->segment_size > COLL_PIPEBCAST_MAX_SEGMENT)) {
        check_range("segment_size", (long long) p->segment_size, COLL_PIPEBCAST_MIN_SEGMENT,
                    COLL_PIPEBCAST_MAX_SEGMENT);
        p->segment_size = defaults.segment_size;
    }
}
