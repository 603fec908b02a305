#include "contrib/testbed/fabric_serve.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "contrib/tools/common/report.h"

/* The control socket is looked at no less often than this, in ns. */
#define CONTROL_EVERY 10000000
/* The time between turns under load, in ns, where hops are long enough. */
#define GRAIN 50000
/* A sleep that ends later than this, in ns, was disturbed. */
#define MAX_OVERSLEEP 50000

/* Set by the signal handler; the main loop reads it. */
static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void) number;
    stopped = 1;
}

int64_t fabric_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

int64_t fabric_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- frames ---- */

/** The node that an address means: -1 for all hosts or a group, -2 for none. */
static int target_of(const fabric_t *fabric, const unsigned char *address)
{
    if (address[0] & 1) {
        return -1;
    }
    int port = address[3] << 16 | address[4] << 8 | address[5];
    bool ours = address[0] == 0x02 && address[1] == 0x70 && address[2] == 0x62;
    return ours && port < fabric->n_hosts ? fabric->host_of[port] : -2;
}

static const unsigned char broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static void on_frame(void *context, int port, const unsigned char *data, uint32_t length,
                     int64_t time)
{
    fabric_t *fabric = context;
    int target = length >= FABRIC_HEADER ? target_of(fabric, data) : -2;
    fabric_frame_t *frame = target == -2 ? NULL : fabric_model_frame(fabric->model);
    if (frame == NULL) {
        fabric->strays++;
        return;
    }
    frame->target = target;
    frame->is_multicast = target < 0 && memcmp(data, broadcast, sizeof(broadcast)) != 0;
    frame->length = length;
    frame->flow = fabric_flow_of(data, length);
    memcpy(frame->data, data, length);
    fabric_model_send(fabric->model, fabric->host_of[port], frame, time);
}

static void note_lateness(fabric_lateness_t *lateness, int64_t late)
{
    int power = 0;
    while (power < FABRIC_LATENESS_CLASSES - 1 && late >= 1000 * (INT64_C(1) << power)) {
        power++;
    }
    lateness->frames++;
    lateness->sum += late;
    lateness->most = late > lateness->most ? late : lateness->most;
    lateness->classes[power]++;
}

static void send_batch(fabric_t *fabric)
{
    if (fabric->n_batch == 0) {
        return;
    }
    int64_t now = fabric_clock();
    fabric_ports_send(fabric->ports, fabric->outgoing, fabric->n_batch);
    for (int i = 0; i < fabric->n_batch; i++) {
        note_lateness(&fabric->lateness, now - fabric->due[i]);
        free(fabric->batch[i]);
    }
    fabric->n_batch = 0;
}

static void deliver(fabric_t *fabric, int64_t until)
{
    int host;
    int64_t time;
    fabric_frame_t *frame;
    while ((frame = fabric_model_deliver(fabric->model, until, &host, &time)) != NULL) {
        int i = fabric->n_batch++;
        fabric->batch[i] = frame;
        fabric->due[i] = time;
        fabric->outgoing[i] =
            (fabric_ports_frame_t){fabric->port_of[host], frame->length, frame->data};
        if (fabric->n_batch == FABRIC_PORTS_BATCH) {
            send_batch(fabric);
        }
    }
    send_batch(fabric);
}

/* ---- time ---- */

/** Waits for frames, for the control socket, or `timeout` ns (negative: without end). */
static void wait_for_any(fabric_t *fabric, int64_t timeout)
{
    struct pollfd fds[] = {{.fd = fabric_ports_fd(fabric->ports), .events = POLLIN},
                           {.fd = fabric_control_fd(fabric->control), .events = POLLIN}};
    struct timespec left = timespec_of(timeout < 0 ? 0 : timeout);
    if (ppoll(fds, 2, timeout < 0 ? NULL : &left, NULL) > 0 && fds[1].revents != 0) {
        fabric_control_serve(fabric->control);
    }
}

/** Sleeps until `wake`, less the time by which this host's sleeps use to end too late. */
static void sleep_until(fabric_t *fabric, int64_t now, int64_t wake)
{
    int64_t aim = wake - fabric->oversleep;
    if (aim <= now) {
        return;
    }
    struct timespec until = timespec_of(aim);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    int64_t late = fabric_clock() - aim;
    /* One long interruption does not predict the next sleep. */
    late = late < MAX_OVERSLEEP ? late : MAX_OVERSLEEP;
    fabric->oversleep += (late - fabric->oversleep) / 16;
}

/**
 * Sleeps until there is something to do. A frame that comes now has its next event a hop later at
 * the earliest. If the next known event is nearer, the loop need not wake up for frames. That saves
 * most of the wake-ups under load.
 */
static void wait_for_work(fabric_t *fabric)
{
    int64_t next = fabric_model_next_event(fabric->model);
    int64_t now = fabric_clock();
    if (now - fabric->control_at > CONTROL_EVERY) {
        fabric->control_at = now;
        fabric_control_serve(fabric->control);
    }
    if (next == INT64_MAX) {
        wait_for_any(fabric, -1);
        return;
    }
    int64_t earliest = fabric->woke_at + fabric->grain;
    int64_t wake = next > earliest ? next : earliest;
    if (wake - now > fabric->min_hop) {
        int64_t left = wake - now - fabric->oversleep;
        wait_for_any(fabric, left > 0 ? left : 0);
    } else {
        sleep_until(fabric, now, wake);
    }
}

/**
 * Chooses the grain of time between turns, which lets one turn serve many events. A turn works
 * ahead by half a grain, so that frames are as much early as late. Half a grain is less than a hop:
 * no earlier frame can still come.
 */
static void choose_grain(fabric_t *fabric)
{
    fabric->n_changes = fabric_model_n_changes(fabric->model);
    fabric->min_hop = fabric_model_min_hop(fabric->model);
    int64_t most = fabric->min_hop - fabric->min_hop / 4;
    fabric->grain = GRAIN < most ? GRAIN : most;
}

static void run(fabric_t *fabric)
{
    choose_grain(fabric);
    while (!stopped) {
        fabric->woke_at = fabric_clock();
        fabric_ports_receive(fabric->ports, on_frame, fabric);
        deliver(fabric, fabric->woke_at + fabric->grain / 2);
        if (fabric_model_n_changes(fabric->model) != fabric->n_changes) {
            choose_grain(fabric);
        }
        fabric->turns++;
        wait_for_work(fabric);
    }
}

/**
 * Asks the fair scheduler (Linux 6.12 and later) for short time slices, which anyone may. A process
 * that asks for little is served sooner after a wake-up.
 */
static void ask_short_slice(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof(attributes), .policy = SCHED_OTHER, .runtime = 100000};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    (void) syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/** Real-time priority where it is allowed, else the best that is. Returns its name. */
static const char *take_priority(void)
{
    struct sched_param fifo = {.sched_priority = 10};
    (void) prctl(PR_SET_TIMERSLACK, 1L);
    if (sched_setscheduler(0, SCHED_FIFO, &fifo) == 0) {
        return "realtime";
    }
    bool nice = setpriority(PRIO_PROCESS, 0, -20) == 0;
    ask_short_slice();
    return nice ? "nice" : "normal";
}

/* ---- start ---- */

static int number_ports(fabric_t *fabric)
{
    fabric->n_hosts = pb_network_n_hosts(fabric->network);
    fabric->host_of = calloc((size_t) fabric->n_hosts + 1, sizeof(int));
    fabric->port_of = calloc((size_t) pb_network_size(fabric->network) + 1, sizeof(int));
    if (fabric->host_of == NULL || fabric->port_of == NULL) {
        return -1;
    }
    int port = 0;
    for (int node = 0; node < pb_network_size(fabric->network); node++) {
        bool host = pb_network_node(fabric->network, node)->kind == PB_NODE_HOST;
        fabric->port_of[node] = host ? port : -1;
        if (host) {
            fabric->host_of[port++] = node;
        }
    }
    return 0;
}

static int set_up(fabric_t *fabric)
{
    const fabric_settings_t *settings = fabric->settings;
    uint32_t max_length = (uint32_t) settings->mtu + FABRIC_HEADER;
    char why[512];
    fabric->model = fabric_model_new(fabric->network, &settings->links, max_length);
    if (fabric->model == NULL || number_ports(fabric) < 0) {
        common_report("out of memory");
        return EXIT_FAILURE;
    }
    fabric->ports =
        fabric_ports_open(settings->prefix, fabric->n_hosts, max_length, why, sizeof(why));
    if (fabric->ports == NULL) {
        common_report("%s", why);
        return EXIT_FAILURE;
    }
    fabric->control =
        fabric_control_open(settings->control, fabric_answer, fabric, why, sizeof(why));
    if (fabric->control == NULL) {
        common_report("%s", why);
        return EXIT_FAILURE;
    }
    fabric->priority = take_priority();
    fabric->reset_at = fabric_clock();
    fabric->cpu_at_reset = fabric_cpu();
    return EXIT_SUCCESS;
}

static void tear_down(fabric_t *fabric)
{
    fabric_control_close(fabric->control);
    fabric_ports_close(fabric->ports);
    fabric_model_free(fabric->model);
    free(fabric->host_of);
    free(fabric->port_of);
}

int fabric_serve(const fabric_settings_t *settings, pb_network_t *network)
{
    fabric_t fabric = {.settings = settings, .network = network};
    int status = set_up(&fabric);
    if (status == EXIT_SUCCESS) {
        struct sigaction action = {.sa_handler = stop};
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGINT, &action, NULL);
        printf("ready\n");
        fflush(stdout);
        run(&fabric);
    }
    tear_down(&fabric);
    return status;
}
