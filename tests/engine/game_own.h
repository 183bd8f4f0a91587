/* Inside the game: what its parts have in common. */
#ifndef ENGINE_GAME_OWN_H
#define ENGINE_GAME_OWN_H

#include "game.h"

enum {
    SESSIONS_MAX = 22, /* living at a time */
    ACTS_MAX = 160     /* of one session, with what it inherited */
};

/* Says what is being done, for the case that the two sides differ. */
void doing(struct play *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct model_session *random_session(struct play *run, bool subs); /* NULL: none lives */
const char *random_title(struct play *run);
int random_tree(struct play *run);
int living(const struct play *run);
struct str head_id(const struct play *run, const struct model_session *session);

/* An entry to be appended, as the model has it, and by which rule it comes to its turn. */
struct made_up {
    struct model_act act;
    enum turn_rule rule;
};

struct made_up random_entry(struct play *run, const struct model_session *session);

/* What the engine is given for it. */
struct entry_spec spec_of(struct play *run, const struct made_up *made);

/* The entry was stored: it goes into the model with what was drawn for it. */
void accept_entry(struct play *run, struct model_session *session, struct made_up *made,
                  const struct entry *stored);

/* That name of a turn, or that id, must be one that tine drew just now. */
void expect_drawn(struct play *run, const struct model_session *session, struct str name);

/* Each plays one operation; the session to look at afterwards, or NULL. */
typedef struct model_session *game_play_one(struct play *run, struct model_session *session);

game_play_one play_rewind, play_undo, play_redo, play_fork, play_adopt, play_merge, play_intent;
game_play_one play_search, play_within;

#endif
