#include "dialect/acting.h"

#include "base/utf8.h"

#define OPERATOR "local"
#define NOBODY   "admin@kagent.dev" /* whom kagent's clients name when nobody has logged in */

static bool name_valid(struct str name)
{
    if (name.n > LIMIT_OWNER_BYTES || !utf8_valid(name))
        return false;
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < ' ')
            return false;
    return true;
}

enum fault_code acting_owner(struct exchange *x, struct str named, int64_t *owner,
                             struct fault *fault)
{
    const struct caller *caller = &x->request.caller;

    if (named.n == 0 || str_eq(named, STR(NOBODY)) || str_eq(named, caller->name)) {
        *owner = caller->owner;
        return FAULT_OK;
    }
    if (!caller->speaks_for_others)
        return fault_set(fault, FAULT_FORBIDDEN, "user \"%.*s\" may not speak for \"%.*s\"",
                         STR_ARG(caller->name), STR_ARG(named));
    if (!name_valid(named))
        return fault_set(fault, FAULT_INVALID,
                         "the name of a user has at most %d bytes of valid UTF-8",
                         LIMIT_OWNER_BYTES);
    return store_owner(app_of(x)->store, named, owner, fault);
}

struct str acting_name(struct str owner)
{
    return str_eq(owner, STR(OPERATOR)) ? STR(NOBODY) : owner;
}
