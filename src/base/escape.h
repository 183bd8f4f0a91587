/* The escapes inside a JSON string literal, both ways. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include "base/buf.h"

/* Adds s as the inside of a JSON string: quotes, backslashes and control characters escaped. */
void escape_json(struct buf *buf, struct str s);

/* Adds the text that the inside of a JSON string stands for; what is no escape stays as it is. */
void unescape_json(struct buf *buf, struct str s);

#endif
