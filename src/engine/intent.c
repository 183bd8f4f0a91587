/*
 * Files and conversation move together: what is about to happen is written down, the files are
 * changed, and the act that tells of it takes the note away. Whoever finds such a note later
 * finishes it, or brings the files back.
 */
#include "engine/workspaces_own.h"
#include "base/int_bytes.h"
#include "message/message_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PLAN_OLDEST = 1, /* nothing beside where it goes */
    PLAN_VERSION = 2
};

/* ---- the plan as bytes ---- */

static void put_int(struct buf *out, int64_t value)
{
    unsigned char bytes[INT_BYTES];

    int_bytes_write(value, bytes);
    buf_add(out, bytes, sizeof(bytes));
}

static void put_str(struct buf *out, struct str s)
{
    put_int(out, (int64_t)s.n);
    buf_add_str(out, s);
}

static bool take_int(struct str *in, int64_t *out)
{
    if (in->n < INT_BYTES)
        return false;
    *out = int_bytes_read((const unsigned char *)in->p);
    in->p += INT_BYTES;
    in->n -= INT_BYTES;
    return true;
}

static bool take_str(struct str *in, struct str *out)
{
    int64_t n;

    if (!take_int(in, &n) || n < 0 || (uint64_t)n > in->n)
        return false;
    *out = (struct str){in->p, (size_t)n};
    in->p += n;
    in->n -= (size_t)n;
    return true;
}

static void put_entry(struct buf *out, const struct entry_spec *entry)
{
    struct buf state;

    put_int(out, entry->kind);
    put_int(out, entry->role);
    put_int(out, entry->flags);
    put_str(out, entry->id);
    put_int(out, entry->turn_rule);
    put_str(out, entry->turn);
    put_int(out, entry->has_usage);
    put_int(out, entry->usage.input);
    put_int(out, entry->usage.output);
    put_int(out, entry->usage.cost);
    put_int(out, entry->calls);
    put_int(out, entry->results);
    buf_init(&state, LIMIT_STATE_BYTES);
    state_encode(&entry->state, &state);
    put_str(out, buf_str(&state));
    buf_clear(&state);
    put_str(out, entry->body);
    put_int(out, (int64_t)entry->span_count);
    for (size_t i = 0; i < entry->span_count; i++)
        put_int(out, (int64_t)((uint64_t)entry->spans[i].from << 32 | entry->spans[i].length));
}

static bool take_spans(struct str *in, struct arena *arena, struct entry_spec *out)
{
    int64_t count, both;
    struct span *spans;

    if (!take_int(in, &count) || count < 0 || (uint64_t)count > in->n / INT_BYTES)
        return false;
    out->span_count = (size_t)count;
    if (count == 0)
        return true;
    spans = arena_array(arena, out->span_count, sizeof(*spans));
    for (size_t i = 0; i < out->span_count; i++) {
        if (!take_int(in, &both))
            return false;
        spans[i] = (struct span){(uint32_t)((uint64_t)both >> 32), (uint32_t)both};
    }
    out->spans = spans;
    return true;
}

/* Whether such an entry may be appended is for the engine to say, as of any other. */
static bool take_entry(struct str *in, struct arena *arena, struct entry_spec *out)
{
    int64_t kind, role, flags, rule, has_usage, calls, results;
    struct fault none;
    struct str state;

    if (!take_int(in, &kind) || !take_int(in, &role) || !take_int(in, &flags) ||
        !take_str(in, &out->id) || !take_int(in, &rule) || !take_str(in, &out->turn) ||
        !take_int(in, &has_usage) || !take_int(in, &out->usage.input) ||
        !take_int(in, &out->usage.output) || !take_int(in, &out->usage.cost) ||
        !take_int(in, &calls) || !take_int(in, &results) || !take_str(in, &state) ||
        !take_str(in, &out->body) || !take_spans(in, arena, out))
        return false;
    if (kind < 0 || kind >= ENTRY_KIND_COUNT || role < 0 || role >= ROLE_COUNT || flags < 0 ||
        flags > INT_MAX || rule < TURN_NONE || rule > TURN_JOIN || calls < 0 || calls > INT_MAX ||
        results < 0 || results > INT_MAX)
        return false;
    out->kind = (enum entry_kind)kind;
    out->role = (enum role)role;
    out->flags = (unsigned)flags;
    out->turn_rule = (enum turn_rule)rule;
    out->has_usage = has_usage != 0;
    out->calls = (int)calls;
    out->results = (int)results;
    return state.n == 0 || state_decode(state, arena, &out->state, &none) == FAULT_OK;
}

void plan_encode(const struct plan *plan, struct buf *out)
{
    put_int(out, PLAN_VERSION);
    put_int(out, plan->deed);
    put_int(out, plan->act);
    put_int(out, plan->scope);
    put_int(out, plan->target.s);
    put_int(out, plan->target.n);
    put_str(out, plan->from);
    put_int(out, plan->from_at.s);
    put_int(out, plan->from_at.n);
    put_str(out, plan->body);
    put_int(out, (int64_t)plan->keep_count);
    for (size_t i = 0; i < plan->keep_count; i++)
        put_str(out, plan->keep[i]);
    put_int(out, plan->entry != NULL);
    if (plan->entry)
        put_entry(out, plan->entry);
}

/* What a move says beside where it goes. */
static bool take_said(struct str *in, struct arena *arena, struct plan *out)
{
    int64_t keep, has_entry;
    struct str *names;

    if (!take_int(in, &keep) || keep < 0 || (uint64_t)keep > in->n / INT_BYTES)
        return false;
    out->keep_count = (size_t)keep;
    out->keep = names = keep ? arena_array(arena, out->keep_count, sizeof(*names)) : NULL;
    for (size_t i = 0; i < out->keep_count; i++)
        if (!take_str(in, &names[i]))
            return false;
    if (!take_int(in, &has_entry))
        return false;
    if (has_entry == 0)
        return true;
    out->entry = arena_array(arena, 1, sizeof(*out->entry));
    *out->entry = (struct entry_spec){0};
    return take_entry(in, arena, out->entry);
}

bool plan_decode(struct str in, struct arena *arena, struct plan *out)
{
    int64_t version, deed, act, scope;

    *out = (struct plan){0};
    if (!take_int(&in, &version) || version < PLAN_OLDEST || version > PLAN_VERSION ||
        !take_int(&in, &deed) || !take_int(&in, &act) || !take_int(&in, &scope) ||
        !take_int(&in, &out->target.s) || !take_int(&in, &out->target.n) ||
        !take_str(&in, &out->from) || !take_int(&in, &out->from_at.s) ||
        !take_int(&in, &out->from_at.n) || !take_str(&in, &out->body) ||
        (version > PLAN_OLDEST && !take_said(&in, arena, out)) || in.n)
        return false;
    if (deed < DEED_MOVE || deed > DEED_MERGE || act < 0 || act > MOVE_REDO || scope < 0 ||
        scope > SCOPE_FILES)
        return false;
    out->deed = (enum deed)deed;
    out->act = (enum move_act)act;
    out->scope = (enum move_scope)scope;
    return true;
}

/* ---- doing it ---- */

static enum fault_code change_files(const struct place *place, const unsigned char *was,
                                    const unsigned char *is, struct arena *arena,
                                    struct files_report *report, struct fault *fault)
{
    struct reporting reporting = {report, arena};
    struct restore_spec spec = {
        .store = workspaces_store(place->workspaces),
        .dir = place->fd,
        .visit = report ? report_restored : NULL,
        .context = &reporting,
    };

    if (place->fd < 0)
        return FAULT_OK; /* it is laid out when it is needed */
    memcpy(spec.from, was, HASH_BYTES);
    memcpy(spec.to, is, HASH_BYTES);
    return restore_apply(&spec, fault);
}

/* Brings the files back and forgets it. */
static enum fault_code take_back(const struct place *place, int64_t intent,
                                 const unsigned char *was, const unsigned char *is,
                                 struct fault *fault)
{
    if (change_files(place, is, was, NULL, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    return store_intent_drop(workspaces_store(place->workspaces), intent, fault);
}

static enum fault_code intent_begin(const struct deed_spec *deed, int64_t *intent,
                                    struct fault *fault)
{
    const struct place *place = deed->place;
    struct engine *engine = place->workspaces->engine;
    struct intent_spec spec = {
        .owner = place->owner,
        .session = place->session.id,
        .at = deed->at,
        .from = deed->was->tree,
        .dir = place->dir,
        .left_out = deed->was->left_all > 0,
        .drawn = engine_draw_id(engine),
        .at_us = engine_now_us(engine),
    };
    struct stat stat_ = {0};
    struct address head;
    struct buf body;
    enum fault_code code;

    if (place->fd >= 0 && fstat(place->fd, &stat_) != 0)
        return fault_set(fault, FAULT_IO, "the directory \"%s\" cannot be looked at: %s",
                         place->dir.p, strerror(errno));
    spec.dev = (int64_t)stat_.st_dev;
    spec.ino = (int64_t)stat_.st_ino;
    memcpy(spec.to, deed->is, HASH_BYTES);
    engine_draw_salt(engine, spec.salt);
    buf_init(&body, LIMIT_INTENT_BYTES);
    plan_encode(deed->plan, &body);
    if (body.full) {
        buf_clear(&body);
        return fault_set(fault, FAULT_TOO_LARGE, "the move has more to tell than %d bytes",
                         LIMIT_INTENT_BYTES);
    }
    spec.body = buf_str(&body);
    code = store_intent_begin(engine_store(engine), &spec, intent, &head, fault);
    buf_clear(&body);
    return code;
}

enum fault_code deed_do(const struct deed_spec *spec, struct arena *arena,
                        struct files_report *report, struct fault *fault)
{
    const unsigned char *was = spec->was->tree.hash;
    enum fault_code code;
    struct fault second;
    int64_t intent;

    if (intent_begin(spec, &intent, fault) != FAULT_OK)
        return fault_pass(fault);
    code = change_files(spec->place, was, spec->is, arena, report, fault);
    if (code == FAULT_OK)
        code = spec->finish(spec->context, intent, fault);
    if (code == FAULT_OK)
        workspaces_count_report(spec->place->workspaces, report);
    else /* where that fails, whoever takes the place next tries again */
        (void)(take_back(spec->place, intent, was, spec->is, &second) == FAULT_OK);
    return code;
}

/* ---- what a crash left ---- */

static enum fault_code finish_move(struct place *place, const struct plan *plan,
                                   const struct move_files *files, struct arena *arena,
                                   struct fault *fault)
{
    struct move_spec spec = {.owner = place->owner,
                             .session = place->session.id,
                             .act = plan->act,
                             .scope = plan->scope,
                             .keep = plan->keep,
                             .keep_count = plan->keep_count,
                             .entry = plan->entry,
                             .files = *files};
    struct engine *engine = place->workspaces->engine;
    struct move_result result;

    switch (plan->act) {
    case MOVE_UNDO:
        return engine_undo(engine, &spec, arena, &result, fault);
    case MOVE_REDO:
        return engine_redo(engine, &spec, arena, &result, fault);
    default:
        break;
    }
    spec.point = (struct point_spec){.by = plan->target.s ? POINT_ADDRESS : POINT_START,
                                     .side = SIDE_AFTER,
                                     .address = plan->target,
                                     .guard = GUARD_NONE};
    return engine_rewind(engine, &spec, arena, &result, fault);
}

static enum fault_code finish_merge(struct place *place, const struct plan *plan,
                                    const struct move_files *files, struct arena *arena,
                                    struct fault *fault)
{
    struct entry_spec entry = message_of_text(ROLE_SYSTEM, plan->body, arena);
    struct merge_spec spec = {.owner = place->owner,
                              .session = place->session.id,
                              .from = plan->from,
                              .from_at = &plan->from_at,
                              .files = *files,
                              .entry = &entry};
    struct merge_result result;

    return engine_merge(place->workspaces->engine, &spec, arena, &result, fault);
}

static enum fault_code finish_plan(struct place *place, const struct intent *intent,
                                   const struct plan *plan, struct fault *fault)
{
    struct move_files files = {.tree = {.given = true}, .intent = intent->i};
    struct arena arena;
    enum fault_code code;

    memcpy(files.tree.hash, intent->to, HASH_BYTES);
    if (store_objects_since(workspaces_store(place->workspaces), &files.tree.since_us, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    if (plan->deed == DEED_MERGE) {
        code = finish_merge(place, plan, &files, &arena, fault);
    } else if (plan->deed == DEED_ADOPT) {
        struct adopt_spec spec = {.owner = place->owner,
                                  .session = place->session.id,
                                  .from = plan->from,
                                  .scope = plan->scope,
                                  .from_at = plan->from_at.s ? &plan->from_at : NULL,
                                  .files = files};
        struct move_result result;

        code = engine_adopt(place->workspaces->engine, &spec, &arena, &result, fault);
    } else {
        code = finish_move(place, plan, &files, &arena, fault);
    }
    arena_clear(&arena);
    return code;
}

/* The directory of the intent, if it is the same one as then. One of tine's own may be a copy. */
static enum fault_code intent_dir(struct place *place, const struct intent *intent,
                                  struct fault *fault)
{
    bool own = place->session.workspace.mode == WORKSPACE_OWN;
    struct stat stat_;

    place->fd = place_open(place);
    if (place->fd < 0 && own && errno == ENOENT)
        return FAULT_OK;
    if (place->fd >= 0 && fstat(place->fd, &stat_) == 0 &&
        (own || ((int64_t)stat_.st_dev == intent->dev && (int64_t)stat_.st_ino == intent->ino)))
        return FAULT_OK;
    return fault_set(fault, FAULT_WORKSPACE_BLOCKED,
                     "a move of files in \"%.*s\" was cut off, and the directory is not there any "
                     "more: bring it back, or give the session another one",
                     STR_ARG(intent->dir));
}

static enum fault_code settle(struct place *place, const struct intent *intent, struct fault *fault)
{
    enum fault_code code;
    struct plan plan;

    if (intent_dir(place, intent, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!plan_decode(intent->body, &place->arena, &plan))
        return fault_set(fault, FAULT_CORRUPT, "the intent of session \"%.*s\" cannot be read",
                         STR_ARG(place->session.id));
    code = change_files(place, intent->from, intent->to, NULL, NULL, fault);
    if (code == FAULT_OK)
        code = finish_plan(place, intent, &plan, fault);
    if (code != FAULT_OK && !fault_retryable(code) && code != FAULT_IO && code != FAULT_FULL)
        code = take_back(place, intent->i, intent->from, intent->to, fault); /* never to be made */
    if (place->fd >= 0)
        close(place->fd);
    place->fd = -1;
    if (code != FAULT_OK)
        return code;
    return store_session_get(workspaces_store(place->workspaces), place->owner, place->session.id,
                             false, &place->arena, &place->session, fault);
}

/* Intents of one session, or all. */
struct found_intents {
    int64_t s; /* 0: all */
    struct arena arena;
    struct intent *list;
    size_t count, room;
};

static enum fault_code find_intent(void *context, const struct intent *intent, struct fault *fault)
{
    struct found_intents *found = context;

    (void)fault;
    if (found->s && intent->s != found->s)
        return FAULT_OK;
    found->list =
        arena_more(&found->arena, found->list, found->count, &found->room, sizeof(*found->list));
    found->list[found->count] = *intent;
    found->list[found->count].session = arena_dup(&found->arena, intent->session);
    found->list[found->count].dir = arena_dup(&found->arena, intent->dir);
    found->list[found->count].body = arena_dup(&found->arena, intent->body);
    found->count++;
    return FAULT_OK;
}

enum fault_code intent_settle(struct place *place, struct fault *fault)
{
    struct found_intents found = {.s = place->session.s};
    enum fault_code code;

    arena_init(&found.arena);
    code = store_intents(workspaces_store(place->workspaces), find_intent, &found, fault);
    for (size_t i = 0; code == FAULT_OK && i < found.count; i++)
        code = settle(place, &found.list[i], fault);
    arena_clear(&found.arena);
    if (code == FAULT_OK)
        memcpy(place->tree, place->session.tree, HASH_BYTES);
    return code;
}

enum fault_code intent_give_up(struct workspaces *workspaces, int64_t s, struct fault *fault)
{
    struct found_intents found = {.s = s};
    enum fault_code code;

    arena_init(&found.arena);
    code = store_intents(workspaces_store(workspaces), find_intent, &found, fault);
    for (size_t i = 0; code == FAULT_OK && i < found.count; i++)
        code = store_intent_drop(workspaces_store(workspaces), found.list[i].i, fault);
    arena_clear(&found.arena);
    return code;
}

enum fault_code workspaces_recover(struct workspaces *workspaces, int64_t *left,
                                   struct fault *fault)
{
    struct found_intents found = {0};
    enum fault_code code;

    *left = 0;
    arena_init(&found.arena);
    code = store_intents(workspaces_store(workspaces), find_intent, &found, fault);
    for (size_t i = 0; code == FAULT_OK && i < found.count; i++) {
        struct fault why;
        struct place *place;

        /* One that cannot be finished blocks its own session and no other. */
        if (place_take(workspaces, found.list[i].owner, found.list[i].session, PLACE_AS_IT_IS, 0,
                       &place, &why) == FAULT_OK)
            place_leave(place);
        else
            ++*left;
    }
    arena_clear(&found.arena);
    return code;
}
