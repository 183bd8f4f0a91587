#include "store/sqlite/session_insert.h"

#include "store/object.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/session_row.h"
#include "store/title.h"

enum { COUNT_AGE_US = 60 * 1000 * 1000 };

/*
 * A count is a scan, so it is kept for a minute. Another process may add sessions meanwhile, so the
 * limit may be passed by that much; but nobody is refused on an old count.
 */
static enum fault_code count_sessions(struct db *db, const struct session_new *new,
                                      struct fault *fault)
{
    struct session_count *kept = &db->counts[(uint64_t) new->owner % SESSION_COUNTS];
    int64_t age = new->at_us - kept->at_us;

    if (kept->owner != new->owner || age < 0 || age > COUNT_AGE_US ||
        kept->count >= new->sessions_max) {
        int64_t count = 0;

        if (db_int(db, Q_SESSION_COUNT, ARGS(arg_int(new->owner), arg_int(new->sessions_max)),
                   &count, fault) != FAULT_OK)
            return fault_pass(fault);
        *kept = (struct session_count){new->owner, count, new->at_us};
    }
    if (kept->count >= new->sessions_max)
        return fault_set(fault, FAULT_LIMIT, "there are %lld sessions already, as many as may be",
                         (long long)kept->count);
    kept->count++;
    return FAULT_OK;
}

static enum fault_code check_free(struct db *db, const struct session_new *new, struct str id,
                                  struct fault *fault)
{
    int64_t taken = 0;

    if (new->state != SESSION_DELETED &&
        db_int(db, Q_SESSION_NAMED, ARGS(arg_int(new->owner), arg_text(id)), &taken, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if (taken)
        return fault_set(fault, FAULT_EXISTS, "session \"%.*s\" exists already", STR_ARG(id));
    if (new->sessions_max == 0 || new->state != SESSION_LIVE)
        return FAULT_OK;
    return count_sessions(db, new, fault);
}

static enum fault_code insert_note(struct db *db, const struct session_new *new, int64_t s,
                                   struct fault *fault)
{
    struct link link = {.s = s, .owner = new->owner};
    struct note note = {
        .act = new->note,
        .at_us = new->at_us,
        .message = new->parent_message.n ? new->parent_message : STR_NONE,
        .was = new->parent_id,
        .now = new->title,
    };

    return new->note ? note_insert(db, &link, &note, fault) : FAULT_OK;
}

enum fault_code session_insert(struct db *db, const struct session_new *new, struct arena *arena,
                               int64_t *out, struct fault *fault)
{
    struct str text = new->title.p ? new->title : STR("");
    struct title title = title_parse(text);
    struct str id = new->id;
    int64_t metadata, limits, settings, s;
    struct arg none = arg_null();

    if (id.n == 0) {
        char drawn[ID_TEXT + 1];

        id_format(&new->drawn, drawn);
        id = arena_dup(arena, str_of(drawn));
    }
    if (check_free(db, new, id, fault) != FAULT_OK ||
        object_put(db, OBJECT_JSON, new->metadata, new->at_us, &metadata, fault) != FAULT_OK ||
        object_put(db, OBJECT_JSON, new->limits, new->at_us, &limits, fault) != FAULT_OK ||
        object_put(db, OBJECT_JSON, new->settings, new->at_us, &settings, fault) != FAULT_OK)
        return fault_pass(fault);
    if (db_run(
            db, Q_SESSION_INSERT,
            ARGS(arg_int(new->fam), arg_int(new->owner), arg_text(id), arg_int(new->state),
                 arg_s(new->base), arg_n(new->base), arg_int(new->base_v), arg_int(new->depth),
                 arg_int(new->jump), new->parent_s ? arg_int(new->parent_s) : none,
                 arg_text(new->parent_id), arg_text(new->parent_title),
                 arg_text(new->parent_message), new->parent_id.p ? arg_int(new->parent_side) : none,
                 arg_text(new->agent), arg_text(text), arg_text(title.base), arg_int(title.number),
                 arg_int(new->archived), arg_int(new->at_us),
                 arg_int(new->touched_us ? new->touched_us : new->at_us),
                 metadata ? arg_int(metadata) : none, limits ? arg_int(limits) : none,
                 arg_int(new->workspace.mode),
                 new->workspace.mode == WORKSPACE_ATTACHED ? arg_text(new->workspace.dir) : none,
                 arg_text(new->home.p ? new->home : STR("")), settings ? arg_int(settings) : none),
            fault) != FAULT_OK)
        return fault_pass(fault);
    s = sqlite3_last_insert_rowid(db->handle);
    if ((new->fam == 0 || new->jump == 0) &&
        db_run(db, Q_SESSION_ROOT, ARGS(arg_int(s)), fault) != FAULT_OK)
        return fault_pass(fault);
    *out = s;
    return insert_note(db, new, s, fault);
}
