/*
 * A YAML file as a tree of what stands where, for messages that name line and key. It takes the
 * plain part of YAML: maps, lists and single values. Anchors, aliases, tags and a second document
 * are refused, and so is a key that stands twice.
 */
#ifndef CONFIG_OUTLINE_H
#define CONFIG_OUTLINE_H

#include "base/arena.h"
#include "base/fault.h"

enum {
    OUTLINE_DEPTH = 8,     /* maps and lists inside one another */
    OUTLINE_WORDS = 40000, /* keys and values of all sorts */
    OUTLINE_KEYS = 100     /* keys of one map */
};

enum node_kind { NODE_VALUE, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    size_t line;     /* where it begins; of a member, where its key stands. Counted from 1 */
    struct str key;  /* of a member of a map */
    size_t index;    /* in its list or map */
    struct str text; /* of a value; it has no NUL inside */
    size_t count;    /* things in a list or map */
    struct node *parent, *first, *last, *next;
};

struct outline {
    const char *name;  /* of the file */
    struct node *root; /* NULL: nothing stands in the file */
};

/* FAULT_INVALID names file and line. All of the outline lives in the arena. */
FAULT_CHECK enum fault_code outline_read(struct str text, const char *name, struct arena *arena,
                                         struct outline *out, struct fault *fault);

/* NULL when there is none, also when `node` is NULL or of another kind. */
struct node *node_member(const struct node *node, struct str key);
struct node *node_item(const struct node *node, size_t index);

/* Writes "file:line: agents[1].kind: …" and returns FAULT_INVALID. `node` NULL: "file: …" */
enum fault_code outline_fault(const struct outline *outline, const struct node *node,
                              struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
