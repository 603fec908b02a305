/*
 * A running fabric: the model between the hosts' ports, in real time.
 */
#ifndef FABRIC_SERVE_H
#define FABRIC_SERVE_H

#include "contrib/testbed/fabric_control.h"
#include "contrib/testbed/fabric_options.h"
#include "contrib/testbed/fabric_ports.h"

/* Powers of two of microseconds that lateness is sorted into. */
#define FABRIC_LATENESS_CLASSES 24

/** Lateness of deliveries against the model. */
typedef struct lateness {
    uint64_t frames;
    int64_t sum, most; /* ns; early frames count as negative */
    uint64_t classes[FABRIC_LATENESS_CLASSES];
} fabric_lateness_t;

typedef struct fabric {
    const fabric_settings_t *settings;
    pb_network_t *network;
    fabric_model_t *model;
    fabric_ports_t *ports;
    fabric_control_t *control;
    const char *priority;
    int n_hosts;
    int *host_of; /* by port: node */
    int *port_of; /* by node: port, -1 for switches */
    fabric_frame_t *batch[FABRIC_PORTS_BATCH];
    fabric_ports_frame_t outgoing[FABRIC_PORTS_BATCH];
    int64_t due[FABRIC_PORTS_BATCH];
    int n_batch;
    uint64_t strays;    /* frames to addresses that no host has */
    uint64_t turns;     /* rounds of the main loop */
    char wrong[128];    /* with the last request */
    uint64_t n_changes; /* fabric_model_n_changes() when the grain was chosen */
    fabric_lateness_t lateness;
    int64_t cpu_at_reset; /* ns */
    int64_t reset_at;
    int64_t control_at; /* when the control socket was last looked at */
    int64_t woke_at;    /* when the current turn began */
    int64_t min_hop;    /* ns, fabric_model_min_hop() */
    int64_t grain;      /* ns between turns under load; frames are up to half of it early */
    int64_t oversleep;  /* ns by which sleeps end too late, a running mean */
} fabric_t;

/**
 * Carries frames until SIGTERM or SIGINT. Prints "ready" on standard output when it
 * begins. Returns the program's exit status, with a message on standard error on failure.
 */
int fabric_serve(const fabric_settings_t *settings, pb_network_t *network);

/** Answers a request of the control socket (fabric_control.h); the context is a fabric_t. */
fabric_answer_t fabric_answer;

/** CLOCK_MONOTONIC and the CPU time of this process, in ns. */
int64_t fabric_clock(void);
int64_t fabric_cpu(void);

#endif
