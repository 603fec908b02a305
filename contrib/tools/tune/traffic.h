/*
 * Batches of messages between the ranks of a team, timed. One rank, the leader, announces what is
 * sent next; the others follow until it announces that the work is done.
 */
#ifndef TUNE_TRAFFIC_H
#define TUNE_TRAFFIC_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tune_traffic {
    TUNE_DONE,     /**< followers return */
    TUNE_STREAM,   /**< from rank 0 to rank 1, back to back */
    TUNE_PINGPONG, /**< between ranks 0 and 1 */
    TUNE_BUSY,     /**< as TUNE_STREAM, asleep in between: what the processors do */
    TUNE_RING,     /**< from every rank to the next one, as fast as messages arrive */
};

struct tune_team {
    MPI_Comm comm; /**< borrowed; of two ranks or more */
    int rank;      /**< in comm; 0 leads */
    int n_ranks;
    unsigned char *memory; /**< owned */
    size_t memory_bytes;
};

/** Nanoseconds for each message; the longest of all ranks. */
struct tune_times {
    double message; /**< from one to the next, or there and back */
    double send;    /**< TUNE_BUSY: the sender's processor */
    double receive; /**< TUNE_BUSY: the receiver's processor */
};

/** Memory for messages of up to max_bytes. */
void tune_team_make(struct tune_team *team, MPI_Comm comm, uint64_t max_bytes);
void tune_team_free(struct tune_team *team);

/** Least messages of a batch, by their size. MPI may send large ones in parts, several in turn.
 * These are twice as many as are under way, so half of them are timed. */
int tune_least_messages(enum tune_traffic traffic, uint64_t bytes);

/**
 * The leader's call: has `n` messages of `bytes` sent, or tune_least_messages() if that is more.
 * Blocks until all have arrived.
 *
 * A stream is timed where it arrives, after its first quarter and the first messages under way.
 * Queues are then in their steady state, and the time is the wire's, not the time of copying into
 * socket buffers. No answer has to be subtracted. As in a long broadcast, no message arrives in a
 * cached buffer, and a ring sends the message that has just arrived. On fast networks memory takes
 * most of the time. As many messages are under way as in the plugin, fewer large ones. A ping-pong
 * is the median of its rounds. A busy batch counts the thread's processor time while it sleeps for
 * `nap_ns` between polls. The time of as many naps and polls without traffic is subtracted.
 */
struct tune_times tune_lead(const struct tune_team *team, enum tune_traffic traffic, uint64_t bytes,
                            int n);
struct tune_times tune_lead_busy(const struct tune_team *team, uint64_t bytes, int n,
                                 int64_t nap_ns);

/** The leader's last call. */
void tune_lead_done(const struct tune_team *team);

/** The other ranks' call: returns after tune_lead_done(). */
void tune_follow(const struct tune_team *team);

#endif
