/*
 * Advice of a communicator: its hosts, the trees that were announced to all its ranks, and, at
 * roots, the advice itself.
 */
#ifndef COLL_PIPEBCAST_ADVISED_H
#define COLL_PIPEBCAST_ADVISED_H

#include "communicator/module.h"
#include "contrib/adaptive/advice/advice.h"
#include "contrib/adaptive/advice/history.h"

/** Trees that a communicator remembers. */
#define COLL_PIPEBCAST_MAX_KNOWN 256

/** This rank's part in a tree that was announced; kept, as computing it takes long. */
typedef struct coll_pipebcast_known {
    int root; /**< rank */
    pb_role_t *role;
    size_t segment_size;
    size_t length;
    uint8_t *header; /**< of `length` bytes: by it the tree is known again */
} coll_pipebcast_known_t;

/** A history that is made when there is something to note. */
typedef struct coll_pipebcast_notes {
    bool tried;                  /**< to make it */
    pb_history_writer_t *writer; /**< NULL: it was not, or could not be */
} coll_pipebcast_notes_t;

typedef struct coll_pipebcast_advised {
    coll_pipebcast_module_t *module; /**< borrowed */
    pb_host_set_t *hosts;
    int *host;             /**< indexed by rank: its host */
    uint64_t n_broadcasts; /**< so far, alike on all ranks */
    uint64_t group;        /**< the communicator, alike on all ranks */
    uint64_t n_known;      /**< trees so far that were not known, alike on all ranks */
    coll_pipebcast_known_t known[COLL_PIPEBCAST_MAX_KNOWN]; /**< the last of them */
    bool has_announced;                /**< this rank was root last down an advised tree */
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
 * At the root: writes the header of the tree that is advised now, or of the static plan, into
 * `header`; returns its length. The plan is also static where the tree would be beyond the bound on
 * connections. One system call, stat(), unless there is newer advice. Reports once what keeps
 * advice from being followed.
 */
size_t coll_pipebcast_advised_look(coll_pipebcast_advised_t *advised, size_t total,
                                   uint8_t *header);

/**
 * Finds the tree of a header; all ranks have it. *known_p is borrowed until the next call, and NULL
 * for the static plan. O(ranks * streams) for a new tree. PB_ERR_NO_MEMORY, also at a second try,
 * or PB_ERR_MALFORMED.
 */
int coll_pipebcast_advised_learn(coll_pipebcast_advised_t *advised, int root, const uint8_t *header,
                                 size_t length, const coll_pipebcast_known_t **known_p);

/**
 * Notes for the advisor that this rank was root of a broadcast: `from` is then itself. Else notes
 * that its parent `from`, on another host, delivered `bytes`; begun and taken in ns.
 */
void coll_pipebcast_advised_note(coll_pipebcast_advised_t *advised, pb_history_kind_t kind,
                                 uint64_t broadcast, int from, uint64_t bytes, int64_t begun,
                                 int64_t taken);

#endif
