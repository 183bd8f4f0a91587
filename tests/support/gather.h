/* Visits that keep what they are given: every row is copied into an arena, in order. */
#ifndef SUPPORT_GATHER_H
#define SUPPORT_GATHER_H

#include "base/arena.h"
#include "store/store.h"

struct gathered {
    struct arena *arena;
    size_t count, room;
    union {
        struct entry *entries;
        struct session *sessions;
        struct record *records;
        struct label *labels;
        struct rewound *rewound;
        struct hit *hits;
        struct journal_item *journal;
        struct log_item *items;
        struct event *events;
        struct user *users;
        struct agent_row *agents;
        struct run *runs;
        void *rows;
    };
};

/* Each is the visit of that name in store/; the context is a struct gathered. */
entry_visit gather_entry;
session_visit gather_session;
record_visit gather_record;
label_visit gather_label;
rewound_visit gather_rewound;
hit_visit gather_hit;
journal_visit gather_journal;
log_item_visit gather_item;
event_visit gather_event;
user_visit gather_user;
agent_row_visit gather_agent;
run_visit gather_run;

/* Gives the items of an export back, one after another: for store_import. */
struct replay {
    const struct gathered *items;
    size_t next;
};

log_item_next replay_item;

#endif
