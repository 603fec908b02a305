/*
 * The reader of text files of items: one item a line, its name and then its values.
 *
 *   pipebcast-model 2
 *   payload 1448
 *   cost 9000 900 2100 1800 10 10   # a comment
 *
 * The first line has the kind of the file and its version. A reader of a kind is a table: the form
 * of each item and a function that takes one. Every error is reported with its line, and reading
 * goes on, so that one run shows all.
 */
#ifndef PB_ITEM_FILE_H
#define PB_ITEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/util/diag.h"

/** Words of a line, and bytes without its end and comment. */
#define PB_ITEM_MAX_WORDS 16
#define PB_ITEM_MAX_LINE 2048

typedef struct pb_item_reader pb_item_reader_t;

/** An item. Its form is its words; a word that begins with a capital stands for a value. An item
 * has as many words as its form, and all but the values are equal. Two items may have one name. */
typedef struct pb_item {
    const char *form;
    void (*read)(pb_item_reader_t *r);
    void (*refused)(pb_item_reader_t *r); /**< a line of this name has another form; or NULL */
} pb_item_t;

/** A kind of file. */
typedef struct pb_item_file {
    const char *name;   /**< the word that it begins with */
    int version;        /**< that can be read */
    const char *remedy; /**< what to do about another version */
    const pb_item_t *items;
    int n_items;
    bool strict;  /**< there are no comments and no empty lines: nobody writes it by hand */
    bool has_end; /**< the last item is PB_ITEM_END */
} pb_item_file_t;

struct pb_item_reader {
    const pb_item_file_t *kind;
    const char *file; /**< in messages */
    pb_diag_t *diag;
    size_t n_before; /**< errors that `diag` had before */
    void *context;   /**< the items' readers' own */
    int line;        /**< from 1 on; 0: no line */
    int error;       /**< PB_ERR_NO_MEMORY, set by an item's reader: reading ends */
    bool stop;       /**< set where the rest of the file is not worth reading */
    bool begun;      /**< the first line was right */
    int64_t n_read;  /**< lines with items, invalid ones included */
    int end_line;    /**< of the end; 0: not yet */
    int n_words;
    char *words[PB_ITEM_MAX_WORDS];
    char buffer[PB_ITEM_MAX_LINE + 1];
};

/** Reads all lines of a text. The reader is filled in, for checks of the whole file. PB_ERR_INPUT
 * if `diag` has new errors; PB_ERR_NO_MEMORY. O(length). */
int pb_item_read(pb_item_reader_t *r, const pb_item_file_t *kind, const char *text, size_t length,
                 const char *name, pb_diag_t *diag, void *context);

/** For a table's last row: a count of the items before it, which must be the last of the file. */
#define PB_ITEM_END                                                                                \
    {                                                                                              \
        "end ITEMS", pb_item_end, pb_item_end_refused                                              \
    }
void pb_item_end(pb_item_reader_t *r);
void pb_item_end_refused(pb_item_reader_t *r);

/** Reports an error of the line that is being read, or of the file where there is none. */
void pb_item_error(pb_item_reader_t *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Tells whether this file has errors. */
bool pb_item_has_errors(const pb_item_reader_t *r);

/** Reads word i as a decimal number from `low` to `high`, or reports an error. `what` names it in
 * the message; NULL: the word before it does. */
bool pb_item_number(pb_item_reader_t *r, const char *what, int i, uint64_t low, uint64_t high,
                    uint64_t *value_p);

#endif
