#include "dialect/docker_agent/flat.h"

#include "dialect/docker_agent/chat.h"

/*
 * A visit must not call the store: at a sub-session the reading stops, the sub-session is read, and
 * the reading goes on behind it. Paths never change, so the pieces fit.
 */
struct reading {
    struct exchange *x;
    struct json_out *out;
    struct usage *subs;   /* NULL: this is no sub-session */
    struct arena scratch; /* of one message */
    struct address last;
    bool met; /* a sub-session */
    struct address ref;
    struct str ref_session;
};

static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct reading *reading = context;

    reading->last = entry->at;
    if (entry->kind == ENTRY_SUBSESSION) {
        reading->met = true;
        reading->ref = entry->ref;
        reading->ref_session = arena_dup(&reading->x->arena, entry->ref_session);
        return visit_enough(fault);
    }
    if (!entry->visible)
        return FAULT_OK;
    if (reading->subs) {
        reading->subs->input += entry->usage.input;
        reading->subs->output += entry->usage.output;
    }
    chat_write(reading->out, entry, &reading->scratch);
    arena_clear(&reading->scratch);
    return reading->out->buf->full ? visit_enough(fault) : FAULT_OK;
}

static struct point_spec place_of(struct address at)
{
    if (at.s == 0)
        return (struct point_spec){.by = POINT_START, .guard = GUARD_NONE};
    return (struct point_spec){.by = POINT_ADDRESS, .address = at, .guard = GUARD_NONE};
}

static enum fault_code path_write(struct exchange *x, struct str session, struct address head,
                                  struct json_out *out, struct usage *subs, int depth,
                                  struct fault *fault)
{
    struct history_spec spec = {
        .owner = x->request.caller.sees,
        .session = session,
        .at = place_of(head),
        .all = true,
    };
    struct reading reading = {.x = x, .out = out, .subs = depth ? subs : NULL};
    enum fault_code code;

    if (depth > FLAT_DEPTH)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "there are more than %d sub-sessions within each other", FLAT_DEPTH);
    arena_init(&reading.scratch);
    do {
        spec.after = reading.last;
        reading.met = false;
        code = store_history(app_of(x)->store, &spec, visit, &reading, NULL, fault);
        if (reading.met)
            code = path_write(x, reading.ref_session, reading.ref, out, subs, depth + 1, fault);
    } while (code == FAULT_OK && reading.met);
    arena_clear(&reading.scratch);
    return out->buf->full ? FAULT_OK : code;
}

enum fault_code flat_write(struct exchange *x, const struct session *session, struct json_out *out,
                           struct usage *subs, struct fault *fault)
{
    *subs = (struct usage){0};
    json_out_array(out, "messages");
    if (path_write(x, session->id, session->head_at, out, subs, 0, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(out);
    return FAULT_OK;
}
