/*
 * A2A 0.3: the parameters of a call, the message that is kept of one, and tasks that were saved, as
 * they are given out. The input is lines: a call, a task, the body of an entry, and how much of the
 * task's history is shown.
 */
#include "check.h"
#include "fuzz.h"

#include "base/utf8.h"
#include "dialect/a2a/rpc.h"
#include "dialect/tasks_own.h"
#include "message/message_in.h"

/* ---- events ---- */

/* One line, whatever stands in it. */
static void event_check(const struct a2a_event *event, struct str id, struct arena *arena)
{
    static const struct str begin = {"data: ", 6};
    struct str line;
    struct buf buf;

    buf_init(&buf, CHECK_BYTES);
    rpc_event_add(&buf, &a2a_codec_03, id, event);
    assert(!buf.full);
    line = arena_dup(arena, buf_str(&buf));
    buf_clear(&buf);
    assert(str_starts(line, begin) && line.n > begin.n + 2);
    assert(memcmp(line.p + line.n - 2, "\n\n", 2) == 0);
    line = (struct str){line.p + begin.n, line.n - begin.n - 2};
    assert(!memchr(line.p, '\n', line.n) && !memchr(line.p, '\r', line.n));
    assert(check_json(line).type == JSON_OBJECT);
}

/* ---- entries ---- */

static struct str message_written(struct str body, struct arena *arena)
{
    struct entry entry = {.kind = ENTRY_MESSAGE,
                          .role = ROLE_USER,
                          .id = STR("id"),
                          .turn = STR("turn"),
                          .body = body,
                          .has_usage = true};
    struct json_value message, id;
    struct json_out out;
    struct buf text;

    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    task_message_write(&out, NULL, &entry, STR("task"), STR("context"), arena);
    message = check_buf(&text, arena);
    assert(member_at(&message, "messageId", &id) && id.type == JSON_STRING);
    assert(str_eq(member_string(&message, "kind", arena), STR("message")));
    assert(str_eq(member_string(&message, "taskId", arena), STR("task")));
    assert(str_eq(member_string(&message, "contextId", arena), STR("context")));
    return message.raw;
}

static void body_check(struct str body, struct arena *arena)
{
    struct json_value value;
    struct fault fault;

    if (json_read(body, LIMIT_JSON_DEPTH, "body", &value, &fault) == FAULT_OK)
        message_written(body, arena);
}

/* ---- calls ---- */

static void said_check(const struct a2a_send *send, struct str id, struct arena *arena)
{
    struct str message =
        arena_printf(arena, "{\"parts\":%.*s,\"metadata\":{\"a2a\":{\"message\":%.*s}}}",
                     STR_ARG(send->parts), STR_ARG(send->message.raw));
    struct a2a_event event = {
        .kind = EVENT_STATUS, .task = STR("t"), .context = send->context, .state = "working"};
    struct message_batch batch;
    struct fault fault;

    assert(check_json(send->parts).type == JSON_ARRAY && utf8_valid(send->text));
    check_json(message);
    if (message_read(message, arena, &batch, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID || fault.code == FAULT_TOO_LARGE);
        return;
    }
    event.message = message_written(batch.entries[0].body, arena);
    event_check(&event, id, arena);
    event.kind = EVENT_ARTIFACT;
    event.text = send->text;
    event.artifact = send->task;
    event_check(&event, id, arena);
}

static void send_check(const struct json_value *params, struct str id, struct arena *arena)
{
    struct a2a_send send;
    struct fault fault;
    int error = 0;

    if (a2a_codec_03.read_send(params, arena, &send, &error, &fault) != FAULT_OK) {
        assert(error < 0 && fault.code == FAULT_INVALID && utf8_valid(str_of(fault.message)));
        return;
    }
    assert(utf8_valid(send.context) && utf8_valid(send.task) && send.history >= -1);
    if (send.rewinds)
        assert(send.rewind_before.p && utf8_valid(send.rewind_before));
    else
        said_check(&send, id, arena);
}

static void ask_check(const struct json_value *params, enum a2a_method method, struct arena *arena)
{
    struct json_out out;
    struct a2a_ask ask;
    struct fault fault;
    struct buf text;
    int error = 0;

    if (a2a_codec_03.read_ask(params, method, arena, &ask, &error, &fault) != FAULT_OK) {
        assert(error < 0 && fault.code == FAULT_INVALID && utf8_valid(str_of(fault.message)));
        return;
    }
    assert(ask.history >= -1 && ask.page_size > 0);
    assert(method == METHOD_LIST ? ask.context.n > 0 : ask.id.n > 0);
    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    a2a_codec_03.write_list(&out, NULL, NULL, 0, &ask, ask.page_token, 0);
    check_buf(&text, arena);
}

static void call_check(struct str text, struct arena *arena)
{
    struct json_value call, params, id = {JSON_NULL, STR("null")};
    enum a2a_method method;
    struct fault fault;

    if (json_read(text, LIMIT_JSON_DEPTH, "the body", &call, &fault) != FAULT_OK ||
        !member_at(&call, "params", &params) || params.type != JSON_OBJECT)
        return;
    if (!member_at(&call, "id", &id) || (id.type != JSON_STRING && id.type != JSON_NUMBER))
        id.raw = STR("null");
    method = a2a_codec_03.method(member_string(&call, "method", arena));
    send_check(&params, id.raw, arena);
    ask_check(&params, method == METHOD_NONE ? METHOD_GET : method, arena);
    ask_check(&params, METHOD_LIST, arena);
}

/* ---- tasks ---- */

enum { MESSAGES_MAX = 64 };

/* The messages of a saved task, each at a place of its own. */
static void task_read(const struct json_value *saved, struct arena *arena, struct task *out)
{
    struct json_walk walk;

    *out = (struct task){.id = STR("task"), .is_saved = true, .saved = *saved};
    out->messages = arena_array(arena, MESSAGES_MAX, sizeof(*out->messages));
    for (member_walk(saved, "history", &walk); json_walk_next(&walk) && out->count < MESSAGES_MAX;)
        if (walk.value.type == JSON_OBJECT) {
            out->messages[out->count] = (struct task_message){
                .saved = walk.value,
                .id = member_string(&walk.value, "messageId", arena),
                .invocation = task_invocation(&walk.value, arena),
                .place = out->count,
            };
            out->count++;
        }
}

static size_t history_of(const struct json_value *task)
{
    struct json_walk walk;
    size_t count = 0;

    for (member_walk(task, "history", &walk); json_walk_next(&walk);)
        count++;
    return count;
}

static void task_check(struct str text, int64_t history, struct arena *arena)
{
    static struct entry entries[MESSAGES_MAX];
    struct task task, *tasks = &task;
    struct task_book book = {.arena = arena, .entries = entries, .tasks = &tasks, .task_count = 1};
    struct a2a_event event = {.kind = EVENT_TASK};
    struct json_value saved, written;
    struct json_out out;
    struct fault fault;
    struct buf buf;

    if (json_read(text, LIMIT_JSON_DEPTH, "task", &saved, &fault) != FAULT_OK ||
        saved.type != JSON_OBJECT)
        return;
    book.session.id = STR("session");
    book.session.agent = STR("ns/a-b");
    task_read(&saved, arena, &task);
    for (size_t from = 0; from <= task.count && from < 3; from++) {
        task.whole = from == 0;
        buf_init(&buf, CHECK_BYTES);
        json_out_init(&out, &buf);
        if (task_write(&out, &book, &task, from, history, &fault) != FAULT_OK)
            abort();
        written = check_buf(&buf, arena);
        assert(history < 0 ? history_of(&written) == task.count - from
                           : history_of(&written) <= (size_t)history);
        event.body = written.raw;
        event_check(&event, STR("1"), arena);
        buf_init(&buf, CHECK_BYTES);
        json_out_init(&out, &buf);
        task_merge_write(&out, &book, STR("session"), task.count - from, history);
        check_buf(&buf, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct str call = check_line(&rest), task = check_line(&rest), body = check_line(&rest);
    struct arena arena;

    arena_init(&arena);
    call_check(call, &arena);
    task_check(task, rest.n ? rest.p[0] % 8 : -1, &arena);
    body_check(body, &arena);
    arena_clear(&arena);
    return 0;
}
