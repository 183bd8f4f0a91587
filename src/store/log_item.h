/*
 * Items of an export, in an order in which they can be taken in again: a session before its acts,
 * a place before what refers to it. Numbers of sessions are those of the store they came from.
 */
#ifndef STORE_LOG_ITEM_H
#define STORE_LOG_ITEM_H

#include "store/object.h"
#include "store/session.h"

enum log_item_kind { LOG_SESSION, LOG_ACT, LOG_NOTE, LOG_RECORD, LOG_LABEL, LOG_OBJECT };

struct log_session {
    int64_t s;
    int64_t family; /* the same number for all of a family */
    enum session_state state;
    struct str id, title, agent, metadata, limits;
    struct str home, settings; /* as of struct session */
    struct address base;       /* ADDRESS_START: none */
    int64_t base_version;
    int64_t parent_s; /* 0: none, or gone */
    struct session_parent parent;
    bool archived;
    struct workspace workspace; /* taken in as one of its own: directories do not travel */
    int64_t created_us, touched_us;
};

struct log_act {
    struct address at;
    enum entry_kind kind;
    enum role role;
    unsigned flags;
    struct str id;
    bool id_is_drawn; /* made by tine, not by a client */
    struct str turn;  /* empty: none */
    int64_t at_us;
    struct usage usage;
    bool has_usage;
    int calls, results;
    struct str state; /* encoded delta; p == NULL: none */
    struct str tree;  /* hash; empty: none */
    struct address ref;
    struct address merged; /* ENTRY_MERGED: the place that was, as far as it is known */
    enum move_act move;
    enum move_scope scope;
    struct address to;  /* ENTRY_MOVE: where it moved */
    struct str salt;    /* empty when erased */
    struct str content; /* content hash when erased, else empty */
    struct str hash;    /* path hash */
    struct str spans;   /* as stored */
    bool erased;
    struct str body;
};

struct log_note {
    int64_t s;
    struct note note;
};

struct log_record {
    int64_t s, version;
    int kind;
    struct str id, turn;
    struct address place; /* where it counts; ADDRESS_START: everywhere */
    int64_t at_us;
    struct str body;
};

struct log_label {
    int64_t in_s;
    struct address at;
    struct str text;
};

struct log_item {
    enum log_item_kind kind;
    union {
        struct log_session session;
        struct log_act act;
        struct log_note note;
        struct log_record record;
        struct log_label label;
        struct object object; /* before what needs it; told once */
    };
};

typedef enum fault_code log_item_visit(void *context, const struct log_item *item,
                                       struct fault *fault);

/* Gives the next item, or sets *end. Strings live until the next call. */
typedef enum fault_code log_item_next(void *context, struct log_item *item, bool *end,
                                      struct fault *fault);

#endif
