#include "dialect/boundary.h"

const struct str boundary_keep[2] = {{"app:", 4}, {"user:", 5}};

struct str boundary_marker(struct str move, struct arena *arena)
{
    return arena_printf(arena, "e-%.*s", STR_ARG(move));
}

/* The move whose marker has that invocation id; false when it cannot be one's. */
static bool marker_move(struct str invocation, struct str *move)
{
    struct id id;

    if (!str_starts(invocation, STR("e-")))
        return false;
    *move = (struct str){invocation.p + 2, invocation.n - 2};
    return id_parse(*move, &id);
}

static enum fault_code unknown(struct str session, struct str invocation, struct fault *fault)
{
    return fault_set(fault, FAULT_TURN_NOT_FOUND,
                     "invocation id not found: \"%.*s\" is not in session \"%.*s\"",
                     STR_ARG(invocation), STR_ARG(session));
}

/* Before the rewind that stands in the log as this marker. */
static enum fault_code find_marker(struct app *app, int64_t owner, struct str session,
                                   struct str move, struct arena *arena, struct point_spec *out,
                                   struct fault *fault)
{
    struct point_spec spec = {
        .by = POINT_MESSAGE, .side = SIDE_BEFORE, .name = move, .guard = GUARD_NONE};
    enum fault_code code;
    struct entry entry;

    code = store_entry_get(app->store, owner, session, &spec, arena, &entry, fault);
    if (code)
        return code;
    if (entry.kind != ENTRY_MOVE)
        return fault_set(fault, FAULT_MESSAGE_NOT_FOUND, "\"%.*s\" is no move", STR_ARG(move));
    *out = spec;
    return FAULT_OK;
}

enum fault_code boundary_find(struct app *app, int64_t owner, struct str session,
                              struct str invocation, struct arena *arena, struct point_spec *out,
                              struct fault *fault)
{
    struct point_spec spec = {
        .by = POINT_TURN, .side = SIDE_BEFORE, .name = invocation, .guard = GUARD_NONE};
    enum fault_code code;
    struct point point;
    struct str move;

    if (invocation.n == 0)
        return fault_set(fault, FAULT_INVALID, "the invocation id is empty");
    if (str_eq(invocation, STR("header_update")))
        return fault_set(fault, FAULT_INVALID,
                         "\"header_update\" comes again in every turn and is no place to go back "
                         "to");
    code = store_point(app->store, owner, session, &spec, arena, &point, fault);
    if (code == FAULT_OK)
        *out = spec;
    if (code != FAULT_TURN_NOT_FOUND || !marker_move(invocation, &move))
        return code == FAULT_TURN_NOT_FOUND ? unknown(session, invocation, fault) : code;
    code = find_marker(app, owner, session, move, arena, out, fault);
    return code == FAULT_MESSAGE_NOT_FOUND ? unknown(session, invocation, fault) : code;
}

/* The fault names as many as fit. */
static enum fault_code conflict(const struct paths *paths, struct arena *arena, struct fault *fault)
{
    struct str list = STR_NONE;

    for (size_t i = 0; i < paths->count && list.n < FAULT_MESSAGE_MAX; i++)
        list = arena_printf(arena, "%.*s%s%.*s", STR_ARG(list), i ? ", " : "",
                            STR_ARG(paths->list[i]));
    return fault_set(fault, FAULT_FILES_CONFLICT, "others have changed these files since: %.*s",
                     STR_ARG(list));
}

enum fault_code boundary_rewind(struct app *app, struct move_spec *spec, struct arena *arena,
                                struct move_result *out, struct fault *fault)
{
    struct entry_spec word = {.kind = ENTRY_EVENT, .body = STR("{}")};
    struct files_report report;
    enum fault_code code;

    spec->act = MOVE_REWIND;
    spec->keep = boundary_keep;
    spec->keep_count = 2;
    code = workspaces_move(app->workspaces, spec, false, arena, out, &report, fault);
    if (code == FAULT_POINT_IS_HEAD) { /* an entry of its own makes it an act */
        spec->entry = &word;
        code = workspaces_move(app->workspaces, spec, false, arena, out, &report, fault);
    }
    return code == FAULT_FILES_CONFLICT ? conflict(&report.conflicts, arena, fault) : code;
}
