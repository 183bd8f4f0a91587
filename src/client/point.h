/* Places in a conversation, as they stand in the body of a request. */
#ifndef CLIENT_POINT_H
#define CLIENT_POINT_H

#include "client/errand.h"

/* Adds the members that name it: "before", "after" or "before_turn", "part", "snap". */
void point_write(struct errand *errand, const struct tine_point_name *point);

#endif
