/*
 * What a communicator knows of advice: the trees that were announced to all its ranks,
 * and, at roots, the advice itself.
 *
 * All ranks take part in the same broadcasts in the same order and hear the same
 * announcements, so they know the same trees without agreeing on them.
 */
#ifndef COLL_PIPEBCAST_ADVISED_H
#define COLL_PIPEBCAST_ADVISED_H

#include "communicator/module.h"
#include "contrib/adaptive/advice/advice.h"
#include "contrib/adaptive/advice/history.h"

/** The tree that was announced last for a root and the messages of one octave. */
typedef struct coll_pipebcast_known {
    opal_list_item_t super;
    int root;   /**< rank */
    int octave; /**< messages of 2^octave bytes and up, less than twice as many */
    pb_role_t *role;
    size_t segment_size;
    uint8_t *header; /**< of the announcement, to compare with the next */
    size_t length;
} coll_pipebcast_known_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_known_t);

/** A history that is made when there is something to note. */
typedef struct coll_pipebcast_notes {
    bool tried;                  /**< to make it */
    pb_history_writer_t *writer; /**< NULL: it was not, or could not be */
} coll_pipebcast_notes_t;

typedef struct coll_pipebcast_advised {
    coll_pipebcast_module_t *module; /**< borrowed */
    pb_host_set_t *hosts;
    int *host;                         /**< indexed by rank: its host */
    opal_list_t known;                 /**< most recently used first */
    uint64_t n_broadcasts;             /**< so far, alike on all ranks */
    uint64_t group;                    /**< the communicator, alike on all ranks */
    bool has_read;                     /**< this rank has been root, and has tried to read advice */
    pb_advice_version_t version;       /**< the file that it found */
    pb_advice_t *advice;               /**< NULL: none that can be used */
    coll_pipebcast_notes_t broadcasts; /**< of this rank as root */
    coll_pipebcast_notes_t rates;      /**< at which this rank's parents delivered */
} coll_pipebcast_advised_t;

/** As coll_pipebcast_advice_t has it; rank 0 reports the reason why hosts cannot be advised. */
int coll_pipebcast_advised_prepare(coll_pipebcast_module_t *module);
void coll_pipebcast_advised_free(coll_pipebcast_advised_t *advised);

/**
 * The tree that all ranks know for messages of `total` bytes from `root`; NULL: the
 * static plan. Borrowed until the next call. To be asked once at the start of each broadcast, as it
 * decides what is forgotten.
 */
const coll_pipebcast_known_t *coll_pipebcast_advised_known(coll_pipebcast_advised_t *advised,
                                                           int root, size_t total);

/**
 * At the root: the tree that is advised now; NULL: the static plan. One system call, stat(), unless
 * there is newer advice. Reports once what keeps it from being advised.
 */
const pb_advice_tree_t *coll_pipebcast_advised_look(coll_pipebcast_advised_t *advised,
                                                    size_t total);

/**
 * At the root: whether this tree, if it were announced, would be within the bound on connections;
 * reports once that it is not. O(ranks * streams) where there is a bound.
 */
bool coll_pipebcast_advised_fits(const coll_pipebcast_advised_t *advised,
                                 const pb_advice_tree_t *tree);

/**
 * An announcement: the tree of `header` is from now on the one that all ranks know for such
 * messages. *known_p is NULL if that is the static plan; borrowed until the next
 * coll_pipebcast_advised_known(). PB_ERR_NO_MEMORY, also at a second try, or
 * PB_ERR_MALFORMED.
 */
int coll_pipebcast_advised_learn(coll_pipebcast_advised_t *advised, int root, size_t total,
                                 const uint8_t *header, size_t length,
                                 const coll_pipebcast_known_t **known_p);

/** Notes, for the advisor, that this rank was root of a broadcast: begun and taken in ns. */
void coll_pipebcast_advised_note_broadcast(coll_pipebcast_advised_t *advised, uint64_t broadcast,
                                           size_t total, int64_t begun, int64_t taken);

/** Notes that the rank `parent`, if it is on another host, delivered so many bytes to this one. */
void coll_pipebcast_advised_note_rate(coll_pipebcast_advised_t *advised, uint64_t broadcast,
                                      int parent, uint64_t bytes, int64_t begun, int64_t taken);

#endif
