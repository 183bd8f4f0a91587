#include "support/talk.h"

#include "base/escape.h"

void talk_open(struct talk *talk, const struct rig_kind *kind, uint64_t seed)
{
    rig_open(&talk->rig, kind, seed);
    arena_init(&talk->arena);
}

void talk_close(struct talk *talk)
{
    arena_clear(&talk->arena);
    rig_close(&talk->rig);
}

/* ---- points ---- */

struct point_spec at_end(void)
{
    return (struct point_spec){.by = POINT_END};
}

struct point_spec at_start(void)
{
    return (struct point_spec){.by = POINT_START};
}

struct point_spec before_message(struct str id)
{
    return (struct point_spec){.by = POINT_MESSAGE, .side = SIDE_BEFORE, .name = id};
}

struct point_spec after_message(struct str id)
{
    return (struct point_spec){.by = POINT_MESSAGE, .side = SIDE_AFTER, .name = id};
}

struct point_spec before_index(int64_t ordinal)
{
    return (struct point_spec){.by = POINT_INDEX, .side = SIDE_BEFORE, .ordinal = ordinal};
}

struct point_spec after_index(int64_t ordinal)
{
    return (struct point_spec){.by = POINT_INDEX, .side = SIDE_AFTER, .ordinal = ordinal};
}

struct point_spec before_turn(struct str turn)
{
    return (struct point_spec){.by = POINT_TURN, .name = turn};
}

/* ---- writing ---- */

struct str talk_create(struct talk *talk, const char *title)
{
    struct create_spec spec = {
        .owner = talk->rig.owner, .title = str_of(title), .agent = STR("test/none")};
    struct session session;

    talk->rig.now_us += 1000;
    CHECK_OK(engine_create(talk->rig.engine, &spec, &talk->arena, &session, &talk->fault),
             &talk->fault);
    return session.id;
}

struct entry_spec talk_message(struct talk *talk, enum role role, const char *text)
{
    struct entry_spec spec = {.kind = ENTRY_MESSAGE, .role = role, .turn_rule = TURN_NONE};
    struct span *span = arena_alloc(&talk->arena, sizeof(*span));
    struct buf body;

    buf_init(&body, 1 << 24);
    buf_add_text(&body, "{\"text\":\"");
    span->from = (uint32_t)body.n;
    escape_json(&body, str_of(text));
    span->length = (uint32_t)body.n - span->from;
    buf_add_text(&body, "\"}");
    assert_false(body.full);
    spec.body = arena_dup(&talk->arena, buf_str(&body));
    buf_clear(&body);
    spec.spans = span;
    spec.span_count = 1;
    return spec;
}

struct append_result talk_batch(struct talk *talk, struct str session, struct entry_spec *specs,
                                size_t count)
{
    struct append_spec spec = {.owner = talk->rig.owner, .session = session};
    struct append_result result;

    talk->rig.now_us += 1000;
    CHECK_OK(
        engine_append(talk->rig.engine, &spec, specs, count, &talk->arena, &result, &talk->fault),
        &talk->fault);
    assert_int_equal(result.count, count);
    return result;
}

struct entry talk_append(struct talk *talk, struct str session, struct entry_spec spec)
{
    return talk_batch(talk, session, &spec, 1).entries[0];
}

struct str talk_say(struct talk *talk, struct str session, enum role role, const char *text)
{
    return talk_append(talk, session, talk_message(talk, role, text)).id;
}

struct str *talk_say_many(struct talk *talk, struct str session, const char *word, int count)
{
    struct str *ids = arena_array(&talk->arena, (size_t)count, sizeof(*ids));

    for (int i = 0; i < count; i++)
        ids[i] = talk_say(talk, session, i % 2 ? ROLE_ASSISTANT : ROLE_USER,
                          arena_printf(&talk->arena, "%s%d", word, i).p);
    return ids;
}

struct fork_result talk_fork(struct talk *talk, struct str session, struct point_spec point)
{
    struct fork_spec spec = {.owner = talk->rig.owner, .session = session, .point = point};
    struct fork_result result;

    talk->rig.now_us += 1000;
    CHECK_OK(engine_fork(talk->rig.engine, &spec, &talk->arena, &result, &talk->fault),
             &talk->fault);
    return result;
}

struct move_result talk_rewind(struct talk *talk, struct str session, struct point_spec point)
{
    struct move_spec spec = {.owner = talk->rig.owner, .session = session, .point = point};
    struct move_result result;

    talk->rig.now_us += 1000;
    CHECK_OK(engine_rewind(talk->rig.engine, &spec, &talk->arena, &result, &talk->fault),
             &talk->fault);
    return result;
}

struct move_result talk_undo(struct talk *talk, struct str session)
{
    struct move_spec spec = {.owner = talk->rig.owner, .session = session};
    struct move_result result;

    talk->rig.now_us += 1000;
    CHECK_OK(engine_undo(talk->rig.engine, &spec, &talk->arena, &result, &talk->fault),
             &talk->fault);
    return result;
}

struct move_result talk_redo(struct talk *talk, struct str session)
{
    struct move_spec spec = {.owner = talk->rig.owner, .session = session};
    struct move_result result;

    talk->rig.now_us += 1000;
    CHECK_OK(engine_redo(talk->rig.engine, &spec, &talk->arena, &result, &talk->fault),
             &talk->fault);
    return result;
}

void talk_delete(struct talk *talk, struct str session)
{
    struct delete_spec spec = {.owner = talk->rig.owner, .session = session};

    CHECK_OK(engine_delete(talk->rig.engine, &spec, &talk->fault), &talk->fault);
}

void talk_rename(struct talk *talk, struct str session, const char *title)
{
    struct str text = str_of(title);
    struct update_spec spec = {.owner = talk->rig.owner, .session = session, .title = &text};
    struct session out;

    CHECK_OK(engine_update(talk->rig.engine, &spec, &talk->arena, &out, &talk->fault),
             &talk->fault);
}

void talk_label(struct talk *talk, struct str session, struct str message, const char *text)
{
    struct label_spec spec = {.owner = talk->rig.owner,
                              .session = session,
                              .message = after_message(message),
                              .text = str_of(text)};
    struct label out;

    CHECK_OK(engine_label(talk->rig.engine, &spec, &talk->arena, &out, &talk->fault), &talk->fault);
}

/* ---- reading ---- */

struct session talk_session(struct talk *talk, struct str session)
{
    struct session out;

    CHECK_OK(store_session_get(talk->rig.store, talk->rig.owner, session, false, &talk->arena, &out,
                               &talk->fault),
             &talk->fault);
    return out;
}

struct gathered talk_history(struct talk *talk, struct str session, bool all)
{
    struct history_spec spec = {
        .owner = talk->rig.owner, .session = session, .at = at_end(), .all = all};
    struct gathered got = {.arena = &talk->arena};

    CHECK_OK(store_history(talk->rig.store, &spec, gather_entry, &got, NULL, &talk->fault),
             &talk->fault);
    return got;
}

struct gathered talk_raw(struct talk *talk, struct str session)
{
    struct log_spec spec = {.owner = talk->rig.owner, .session = session};
    struct gathered got = {.arena = &talk->arena};

    CHECK_OK(store_raw_log(talk->rig.store, &spec, gather_entry, &got, &talk->fault), &talk->fault);
    return got;
}

struct gathered talk_journal(struct talk *talk, struct str session)
{
    struct log_spec spec = {.owner = talk->rig.owner, .session = session};
    struct gathered got = {.arena = &talk->arena};

    CHECK_OK(store_journal(talk->rig.store, &spec, gather_journal, &got, &talk->fault),
             &talk->fault);
    return got;
}

struct gathered talk_search(struct talk *talk, const char *words)
{
    struct search_spec spec = {.owner = talk->rig.owner, .words = str_of(words), .limit = 100};
    struct gathered got = {.arena = &talk->arena};

    CHECK_OK(store_search(talk->rig.store, &spec, gather_hit, &got, NULL, &talk->fault),
             &talk->fault);
    return got;
}

struct store_counts talk_counts(struct talk *talk)
{
    struct store_counts counts;

    CHECK_OK(store_count(talk->rig.store, &counts, &talk->fault), &talk->fault);
    return counts;
}

const char *talk_texts(struct talk *talk, struct str session)
{
    struct gathered got = talk_history(talk, session, false);
    struct buf text;
    struct str copy;

    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < got.count; i++) {
        struct str body = got.entries[i].body;
        struct str inside = {body.p + sizeof("{\"text\":\"") - 1,
                             body.n - (sizeof("{\"text\":\"\"}") - 1)};

        buf_add_text(&text, i ? " " : "");
        unescape_json(&text, inside);
    }
    copy = arena_dup(&talk->arena, buf_str(&text));
    buf_clear(&text);
    return copy.p;
}

static void tell_problem(void *context, const char *message)
{
    (void)context;
    print_error("verify: %s\n", message);
}

void talk_verify(struct talk *talk)
{
    struct verify_result result;

    CHECK_OK(store_verify(talk->rig.store, tell_problem, NULL, NULL, &result, &talk->fault),
             &talk->fault);
    assert_int_equal(result.problems, 0);
}
