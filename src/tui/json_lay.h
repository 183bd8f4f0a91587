/* JSON for people: the gist of it on one line, or one member a line. */
#ifndef TUI_JSON_LAY_H
#define TUI_JSON_LAY_H

#include "tui/flow.h"

/*
 * One line: the text of the only member when that is a string, else "key=value key=value"; what is
 * no object, or no JSON, as it is. Of a long one the beginning. Clean.
 */
struct str json_gist(struct str json, struct arena *arena);

/* The member of an object, as JSON; STR_NONE: there is none. */
struct str json_member_of(struct str json, const char *name);

/* Each member on a line of its own, strings as their text; what is no object as it is. */
void json_lay(struct flow *flow, struct str json, struct look look);

#endif
