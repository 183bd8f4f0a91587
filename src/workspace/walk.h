/*
 * One pass through a directory from the top down: what every name stands for, held against the
 * index. Files that may have changed are given to the intake on the way.
 *
 * 1. Every name is opened below the descriptor of its directory, never through a link; what was
 *    opened is looked at again, since a name may stand for something else by then.
 * 2. Only a regular file is opened for reading, and so that it cannot make us wait.
 * 3. A name that cannot be kept has an entry that says why; lacking descriptors or memory is no
 *    such reason but a fault.
 */
#ifndef WORKSPACE_WALK_H
#define WORKSPACE_WALK_H

#include "base/arena.h"
#include "workspace/intake.h"
#include "workspace/snapshot.h"

/* What is known of a directory besides what is in it. */
struct dir_facts {
    unsigned char rules[HASH_BYTES]; /* those in force in it (ignore_rules) */
    bool known;                      /* the index has it: … */
    bool same_rules;
    unsigned char hash[HASH_BYTES];
    unsigned mode;
    int64_t count; /* of its entries */
};

/* A name in a directory. */
struct node {
    struct node *next;          /* in the order of names */
    struct node *first;         /* of a directory */
    struct sight sight;         /* of a directory without its hash */
    bool maybe_dir, kind_known; /* as the directory told it */
    bool ignored;               /* left out by the rules */
    bool gone;                  /* before it could be looked at */
    bool given;                 /* to the intake, which fills in the sight */
    bool reused;                /* the index has it just so; of a directory: not looked at */
    struct dir_facts *facts;    /* of a directory */
};

struct ignore;

struct walk {
    struct snapshot_limits limits;
    int cancel_fd;
    struct intake *intake;
    const struct stat_index *index; /* NULL: there is none */
    struct arena nodes;
    struct ignore *ignore;
    struct buf path; /* of the directory that is looked at */
    uint64_t dev;
    int64_t names, bytes; /* seen so far */
    char *buffer;         /* for names, then for targets of links */
};

/* All limits are given. What is borrowed stays until the walk is cleared. */
void walk_init(struct walk *walk, const struct snapshot_limits *limits, int cancel_fd,
               struct intake *intake, const struct stat_index *index);
void walk_clear(struct walk *walk);

/*
 * The top of all nodes, which live as long as the walk; those of files are complete after
 * intake_wait. FAULT_TOO_LARGE, FAULT_IO, FAULT_INTERRUPTED, and those of the intake.
 */
FAULT_CHECK enum fault_code walk_run(struct walk *walk, int dir, struct node **out,
                                     struct fault *fault);

#endif
