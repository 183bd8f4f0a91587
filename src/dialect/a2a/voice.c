#include "dialect/a2a/voice.h"

#include "base/utf8.h"
#include "dialect/member.h"
#include "dialect/tasks.h"
#include "message/part.h"

#include <stdlib.h>

struct voice {
    struct arena arena; /* of what is kept */
    struct app *app;
    int64_t owner;
    const struct a2a_codec *codec;
    struct str id; /* of the call, JSON */
    struct session session;
    struct str turn, task; /* names; known when the turn has begun */
    bool late;             /* the turn was there before */
    struct str *told;      /* ids of the messages that the first task had */
    size_t told_count;
    int64_t step; /* what the agent has said */
    bool over;    /* the final status was sent */
};

struct str voice_task_id(struct str session, struct str turn, struct arena *arena)
{
    return arena_printf(arena, "%.*s~%.*s", STR_ARG(session), STR_ARG(turn));
}

/* ---- events ---- */

static struct str metadata_write(struct voice *voice, const struct entry *entry,
                                 struct arena *arena)
{
    struct json_out out;
    struct buf buf;

    buf_init(&buf, LIMIT_METADATA_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    task_metadata_write(&out, &voice->session, voice->turn, arena);
    json_out_string(&out, "kagent_author", voice->session.agent);
    if (entry)
        task_usage_write(&out, entry);
    json_out_object_end(&out);
    return buf_take(&buf, arena);
}

static void event_add(struct voice *voice, struct a2a_event *event, struct buf *out)
{
    event->task = voice->task;
    event->context = voice->session.id;
    rpc_event_add(out, voice->codec, voice->id, event);
}

static void status_add(struct voice *voice, enum run_state state, struct str message,
                       const struct entry *entry, bool final, struct arena *arena, struct buf *out)
{
    struct a2a_event event = {
        .kind = EVENT_STATUS,
        .state = task_state(state),
        .message = message,
        .at_us = entry ? entry->at_us : engine_now_us(voice->app->engine),
        .final = final,
        .metadata = metadata_write(voice, entry, arena),
    };

    event_add(voice, &event, out);
}

/* Text as an artifact, in pieces that fit into one event each. */
static void artifact_add(struct voice *voice, int64_t step, struct str text, bool append, bool last,
                         struct arena *arena, struct buf *out)
{
    struct a2a_event event = {
        .kind = EVENT_ARTIFACT,
        .artifact = task_artifact_id(voice->turn, step, arena),
        .metadata = metadata_write(voice, NULL, arena),
        .append = append,
    };

    while (text.n) {
        event.text = utf8_cut(text, RPC_TEXT_BYTES);
        if (event.text.n == 0)
            event.text = text;
        text.p += event.text.n;
        text.n -= event.text.n;
        event.last = last && text.n == 0;
        event_add(voice, &event, out);
        event.append = true;
    }
}

/* ---- the first task ---- */

/* The user's message, which is stored by now. */
struct saying {
    struct voice *voice;
    struct json_out *out;
    struct arena *arena;
};

static enum fault_code said_write(void *context, const struct entry *entry, struct fault *fault)
{
    const struct saying *saying = context;

    if (entry->kind != ENTRY_MESSAGE)
        return FAULT_OK;
    if (entry->role != ROLE_USER)
        return visit_enough(fault);
    task_message_write(saying->out, NULL, entry, saying->voice->task, saying->voice->session.id,
                       saying->arena);
    return FAULT_OK;
}

static void said_add(struct voice *voice, struct json_out *out, struct arena *arena)
{
    struct saying saying = {voice, out, arena};
    struct fault fault;
    enum fault_code code;

    json_out_array(out, "history");
    code = store_turn(voice->app->store, voice->owner, voice->session.id, voice->turn, said_write,
                      &saying, &fault);
    (void)code; /* without it the task is told nevertheless */
    json_out_array_end(out);
}

static struct str task_new(struct voice *voice, struct arena *arena)
{
    struct json_out out;
    struct buf buf;

    buf_init(&buf, REPLY_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    json_out_plain(&out, "kind", STR("task"));
    json_out_string(&out, "id", voice->task);
    json_out_string(&out, "contextId", voice->session.id);
    json_out_object(&out, "status");
    json_out_plain(&out, "state", str_of(task_state(RUN_QUEUED)));
    json_out_time(&out, "timestamp", engine_now_us(voice->app->engine));
    json_out_object_end(&out);
    said_add(voice, &out, arena);
    json_out_raw(&out, "metadata", metadata_write(voice, NULL, arena));
    json_out_object_end(&out);
    return buf_take(&buf, arena);
}

/* Which messages the client has with the task, and so how many steps. */
static void task_learn(struct voice *voice, struct str task)
{
    struct json_value value;
    struct json_walk walk;
    struct fault unread;
    size_t count = 0;

    if (json_read(task, LIMIT_JSON_DEPTH + 8, "the task", &value, &unread) != FAULT_OK)
        return;
    for (member_walk(&value, "history", &walk); json_walk_next(&walk);)
        count++;
    voice->told = arena_array(&voice->arena, count + 1, sizeof(struct str));
    for (member_walk(&value, "history", &walk); json_walk_next(&walk);) {
        struct str role = member_string(&walk.value, "role", &voice->arena);

        voice->told[voice->told_count++] =
            arena_dup(&voice->arena, member_string(&walk.value, "messageId", &voice->arena));
        voice->step += !str_eq(role, STR("user"));
    }
}

static bool was_told(const struct voice *voice, struct str id)
{
    for (size_t i = 0; i < voice->told_count; i++)
        if (str_eq(voice->told[i], id))
            return true;
    return false;
}

/* What has happened by now; what comes after is told as it happens, and nothing twice. */
static void begin_late(struct voice *voice, struct arena *arena, struct buf *out)
{
    struct a2a_event event = {.kind = EVENT_TASK};
    struct fault fault;

    if (tasks_get(voice->app, voice->owner, voice->task, -1, arena, &event.body, NULL, NULL,
                  &fault) != FAULT_OK) {
        struct json_out json;
        struct buf buf;

        buf_init(&buf, REPLY_BYTES);
        json_out_init(&json, &buf);
        task_remark_write(&json, NULL, str_of(fault.message), voice->task, voice->session.id,
                          voice->turn, arena);
        status_add(voice, RUN_FAILED, buf_str(&buf), NULL, true, arena, out);
        buf_clear(&buf);
        voice->over = true;
        return;
    }
    task_learn(voice, event.body);
    event_add(voice, &event, out);
}

/* ---- the voice ---- */

static void begin(void *context, const struct turn_begun *begun, struct buf *out)
{
    struct voice *voice = context;
    struct a2a_event event = {.kind = EVENT_TASK};
    struct arena arena;

    voice->turn = arena_dup(&voice->arena, begun->turn);
    voice->task = voice_task_id(voice->session.id, voice->turn, &voice->arena);
    arena_init(&arena);
    if (!voice->late) {
        event.body = task_new(voice, &arena);
        event_add(voice, &event, out);
        status_add(voice, RUN_RUNNING, STR_NONE, NULL, false, &arena, out);
    } else {
        begin_late(voice, &arena, out);
    }
    arena_clear(&arena);
}

/* What it waits for ends the stream: whoever answers sends anew. */
static void ask(struct voice *voice, const struct delta *delta, struct arena *arena,
                struct buf *out)
{
    struct question question = {
        .kind = delta->name.n ? ASK_TOOL : ASK_INPUT, .id = delta->id, .name = delta->name};
    struct json_out json;
    struct buf buf;

    if (question.kind == ASK_TOOL)
        question.arguments = delta->text;
    else
        question.text = delta->text;
    buf_init(&buf, REPLY_BYTES);
    json_out_init(&json, &buf);
    task_question_write(&json, NULL, &question, voice->task, voice->session.id, voice->turn, arena);
    status_add(voice, RUN_WAITING, buf_str(&buf), NULL, true, arena, out);
    buf_clear(&buf);
    voice->over = true;
}

static void piece(void *context, const struct turn_piece *said, struct buf *out)
{
    struct voice *voice = context;
    struct arena arena;

    arena_init(&arena);
    if (said->delta.kind == DELTA_TEXT) {
        voice->step = said->step;
        artifact_add(voice, said->step, said->delta.text, said->offset > 0, false, &arena, out);
    } else if (said->delta.kind == DELTA_ASK) {
        ask(voice, &said->delta, &arena, out);
    }
    arena_clear(&arena);
}

/* A message that is too long for one event is told by its beginning; tasks/get has all of it. */
static void message_cut(struct voice *voice, const struct entry *entry, struct buf *buf,
                        struct arena *arena)
{
    struct str text = STR_NONE;
    struct json_out out;
    size_t count;
    const struct part *parts = parts_of(entry->body, arena, &count);

    for (size_t i = 0; i < count && text.n == 0; i++)
        text = parts[i].text;
    buf_reset(buf);
    json_out_init(&out, buf);
    json_out_object(&out, NULL);
    json_out_plain(&out, "kind", STR("message"));
    json_out_string(&out, "messageId", entry->id);
    json_out_plain(&out, "role", STR("agent"));
    json_out_array(&out, "parts");
    json_out_object(&out, NULL);
    json_out_plain(&out, "kind", STR("text"));
    json_out_string(&out, "text", utf8_cut(text, RPC_TEXT_BYTES));
    json_out_object_end(&out);
    json_out_array_end(&out);
    json_out_string(&out, "contextId", voice->session.id);
    json_out_string(&out, "taskId", voice->task);
    json_out_object(&out, "metadata");
    json_out_string(&out, "kagent_invocation_id", voice->turn);
    json_out_bool(&out, "tine_cut", true);
    json_out_object_end(&out);
    json_out_object_end(&out);
}

static void message_add(struct voice *voice, const struct entry *entry, struct arena *arena,
                        struct buf *out)
{
    struct json_out json;
    struct buf buf;

    buf_init(&buf, REPLY_BYTES);
    json_out_init(&json, &buf);
    task_message_write(&json, NULL, entry, voice->task, voice->session.id, arena);
    if (buf.full || buf.n > RPC_LINE_BYTES)
        message_cut(voice, entry, &buf, arena);
    status_add(voice, RUN_RUNNING, buf_str(&buf), entry, false, arena, out);
    buf_clear(&buf);
}

static void entry(void *context, const struct entry *said, struct buf *out)
{
    struct voice *voice = context;
    bool message = said->kind == ENTRY_MESSAGE;
    struct arena arena;
    struct str text;

    if (said->role == ROLE_USER || (!message && said->kind != ENTRY_SUMMARY) ||
        was_told(voice, said->id))
        return;
    arena_init(&arena);
    if (message && entry_visible(said->kind, said->role))
        message_add(voice, said, &arena, out);
    text = message && said->role == ROLE_ASSISTANT ? parts_text(said->body, &arena) : STR_NONE;
    if (text.n)
        artifact_add(voice, voice->step, text, false, true, &arena, out);
    voice->step++;
    arena_clear(&arena);
}

static void end(void *context, enum run_state state, struct str reason, struct buf *out)
{
    struct voice *voice = context;
    struct json_out json;
    struct arena arena;
    struct buf buf;

    arena_init(&arena);
    buf_init(&buf, REPLY_BYTES);
    json_out_init(&json, &buf);
    if (reason.n)
        task_remark_write(&json, NULL, reason, voice->task, voice->session.id, voice->turn, &arena);
    status_add(voice, state, buf_str(&buf), NULL, true, &arena, out);
    buf_clear(&buf);
    arena_clear(&arena);
    voice->over = true;
}

static bool enough(void *context)
{
    return ((struct voice *)context)->over;
}

static void voice_free(void *context)
{
    struct voice *voice = context;

    arena_clear(&voice->arena);
    free(voice);
}

static struct feed_voice voice_make(const struct rpc *rpc, int64_t owner,
                                    const struct session *session, struct voice **out)
{
    struct voice *voice = calloc(1, sizeof(*voice));

    if (!voice)
        abort();
    arena_init(&voice->arena);
    voice->app = app_of(rpc->x);
    voice->owner = owner;
    voice->codec = rpc->codec;
    voice->id = arena_dup(&voice->arena, rpc->id);
    voice->session.id = arena_dup(&voice->arena, session->id);
    voice->session.agent = arena_dup(&voice->arena, session->agent);
    voice->session.owner = arena_dup(&voice->arena, session->owner);
    *out = voice;
    return (struct feed_voice){.begin = begin,
                               .piece = piece,
                               .entry = entry,
                               .end = end,
                               .enough = enough,
                               .free = voice_free,
                               .context = voice};
}

struct feed_voice voice_new(const struct rpc *rpc, int64_t owner, const struct session *session)
{
    struct voice *voice;

    return voice_make(rpc, owner, session, &voice);
}

struct feed_voice voice_late(const struct rpc *rpc, const struct rpc_task *task)
{
    struct voice *voice;
    struct feed_voice feed = voice_make(rpc, task->owner, &task->session, &voice);

    voice->late = true;
    return feed;
}
