/* Bytes as text: base64 with padding (RFC 4648, section 4). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

void base64_add(struct buf *out, struct str bytes);

/* False when it is not what base64_add writes: spaces, missing padding, bits that stand for
 * nothing. */
bool base64_read(struct str text, struct arena *arena, struct str *out);

#endif
