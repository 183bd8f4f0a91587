#include "store/sqlite/intent_row.h"

enum fault_code intent_refuse(struct db *db, int64_t s, struct str session, int64_t intent,
                              struct fault *fault)
{
    int64_t there = 0;

    if (db_int(db, Q_INTENT_OF, ARGS(arg_int(s)), &there, fault) != FAULT_OK)
        return fault_pass(fault);
    if (there == intent)
        return FAULT_OK;
    if (there)
        return fault_set(fault, FAULT_WORKSPACE_BUSY,
                         "the files of session \"%.*s\" are being changed", STR_ARG(session));
    return fault_set(fault, FAULT_NOT_FOUND,
                     "somebody else has finished the change to the files of session \"%.*s\"",
                     STR_ARG(session));
}

enum fault_code intent_end(struct db *db, int64_t intent, struct fault *fault)
{
    return intent ? db_run(db, Q_INTENT_DELETE, ARGS(arg_int(intent)), fault) : FAULT_OK;
}
