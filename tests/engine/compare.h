/* Asks a store everything about a session and compares the answers with the model's. */
#ifndef ENGINE_COMPARE_H
#define ENGINE_COMPARE_H

#include "model.h"
#include "support/gather.h"
#include "support/grove.h"
#include "support/rig.h"

/* A run of random operations: both sides, and what is said of them when they differ. */
struct play {
    struct rig rig;
    struct model *model;
    struct chance chance; /* chooses what is done and what is looked at */
    struct grove grove;   /* the trees that there are */
    struct arena arena;   /* of one step */
    uint64_t seed;
    int step;
    char doing[512]; /* the operation of this step */
    int names;       /* counts ids, words and turns that were made up */
};

/* Says where the two sides differ, with seed, step and operation, and ends the test. */
void run_differ(struct play *run, const struct model_session *session, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* The call must give this code. */
void run_expect(struct play *run, const struct model_session *session, const char *what,
                enum fault_code got, enum fault_code want, const struct fault *fault);

void compare_text(struct play *run, const struct model_session *session, const char *what,
                  struct str got, const char *want);
void compare_number(struct play *run, const struct model_session *session, const char *what,
                    int64_t got, int64_t want);

void compare_address(struct play *run, const struct model_session *session, const char *what,
                     struct address got, struct address want);
void compare_tree(struct play *run, const struct model_session *session, const char *what,
                  const unsigned char got[HASH_BYTES], int want);

/* Every member of a stored act. */
void compare_entry(struct play *run, const struct model_session *session, const char *what,
                   const struct entry *got, int want);

/* What store_point came to. */
void compare_point(struct play *run, const struct model_session *session, const char *what,
                   const struct point *got, const struct model_point *want);

/* Everything that can be asked of one session. */
void compare_session(struct play *run, const struct model_session *session);

/* compare_session for all that live, and the list of them. */
void compare_all(struct play *run);

/* What is counted in the store: nothing that nobody stands on is left. */
void compare_counts(struct play *run);

/* store_verify finds nothing. */
void compare_verify(struct play *run);

/* A random way to name a point of the session, mostly one that exists. */
struct point_spec random_point(struct play *run, const struct model_session *session);

/* In words, for `doing`. */
struct str point_words(struct play *run, const struct point_spec *spec);

#endif
