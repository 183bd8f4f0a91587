/* The path of a request below /api/v1, put together from words that may hold any characters. */
#ifndef CLIENT_PATH_H
#define CLIENT_PATH_H

#include "base/buf.h"

#include <stdint.h>

struct path {
    struct buf text;
    bool has_query;
    bool wrong; /* a word that must not be empty was */
};

void path_init(struct path *path);
void path_clear(struct path *path);

void path_add(struct path *path, const char *words); /* as they are: "/sessions" */
void path_word(struct path *path, const char *word); /* "/" and the word, escaped; not empty */

/* "/" and each step of a file's path, escaped. One that is empty, "." or ".." cannot be sent. */
void path_steps(struct path *path, const char *file);

void path_query(struct path *path, const char *name, const char *value); /* NULL: left out */
void path_query_int(struct path *path, const char *name, int64_t value); /* 0: left out */

#endif
