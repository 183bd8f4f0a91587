/*
 * Takes files into the store: reads them, names and packs what is in them, and puts what the store
 * does not have. With more than a few, on several threads. Memory does not grow with the files.
 */
#ifndef WORKSPACE_INTAKE_H
#define WORKSPACE_INTAKE_H

#include "store/store.h"
#include "workspace/stat_index.h"

/* What was seen of a name in a directory. */
struct sight {
    struct tree_entry entry;
    struct stat_id id; /* after the content was known … */
    int64_t clock_ns;  /* … and stat_clock from before; 0: the content is not to be trusted */
};

struct intake;

/* A file of more than `file_bytes` becomes LEFT_SIZE. */
struct intake *intake_new(struct store *store, int64_t file_bytes, int cancel_fd);
void intake_free(struct intake *intake); /* also waits for the threads */

/*
 * Gives a file to be read; the descriptor goes with it. `sight` has its name, and is filled in with
 * what it is by the time that intake_wait returns: TREE_FILE, TREE_PIECES or TREE_LEFT. False after
 * a failure: intake_wait tells it.
 */
bool intake_give(struct intake *intake, int fd, struct sight *sight);

/* Waits until all files are in. FAULT_IO, FAULT_INTERRUPTED, those of the store. */
FAULT_CHECK enum fault_code intake_wait(struct intake *intake, struct fault *fault);

/* Afterwards: an object by the caller's hand, which is in the store after intake_flush. */
FAULT_CHECK enum fault_code intake_put(struct intake *intake, enum object_kind kind,
                                       struct str content, unsigned char hash[HASH_BYTES],
                                       struct fault *fault);
FAULT_CHECK enum fault_code intake_flush(struct intake *intake, struct fault *fault);

/* After intake_wait: files that were read, objects that were new to the store. */
void intake_count(const struct intake *intake, int64_t *read, int64_t *written);

bool intake_cancelled(int cancel_fd);

#endif
