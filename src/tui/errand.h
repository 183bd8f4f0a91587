/*
 * Work with the server, done on threads of their own so that the screen never waits for it. An
 * errand is made on the screen's thread, run on a lane, and told there again when it is done.
 */
#ifndef TUI_ERRAND_H
#define TUI_ERRAND_H

#include "base/arena.h"

#include "tui/door.h"

/* Errands of one lane are run one after the other, each lane on its own thread. */
enum lane {
    LANE_READ, /* pages of the conversation that are about to be seen */
    LANE_LOOK, /* trees, diffs, lists, searches */
    LANE_LONG, /* what reads a whole conversation, for which nobody else should wait */
    LANE_ACT,  /* what changes something */
    LANE_SEND, /* what is said */
    LANE_WAIT, /* … and waits for the turn before it */
    LANE_COUNT
};

struct errand;
typedef bool errand_run(struct errand *errand, struct tine *tine); /* fills result or error */
typedef void errand_done(struct errand *errand);
typedef void errand_drop(struct errand *errand);

/* Embedded first in a struct that has its arguments; made by errand_new, freed by the lanes. */
struct errand {
    errand_run *run;            /* on the lane's thread: touches nothing but the errand */
    errand_done *done;          /* on the screen's thread; the errand is freed behind it */
    void *owner;                /* whom it is for: see errands_forget */
    struct arena arena;         /* for its arguments */
    struct tine_result *result; /* freed with it; take it by setting it to NULL */
    struct tine_error error;
    bool ok;
    errand_drop *drop;   /* frees what else it has, on any thread; NULL: nothing */
    struct errand *next; /* of the lanes */
};

void *errand_new(size_t bytes, errand_run *run, errand_done *done, void *owner); /* zeroed */

struct errands;

/* `wake` is called, on any thread, when errands_take has something. */
struct errands *errands_new(const struct tui_door *door, void (*wake)(void *), void *context);
void errands_free(struct errands *errands); /* ends the calls that wait */

void errands_send(struct errands *errands, enum lane lane, struct errand *errand); /* adopts it */

/* Tells those that are done. */
void errands_take(struct errands *errands);

/*
 * The errands of that owner are not told any more, and not run when they have not begun. One that
 * reads or looks and has begun is ended; others are finished.
 */
void errands_forget(struct errands *errands, const void *owner);

/* Is one of that owner under way? */
bool errands_busy(const struct errands *errands, const void *owner);

#endif
