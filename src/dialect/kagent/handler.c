#include "dialect/kagent/handler.h"

#include "dialect/acting.h"
#include "dialect/settings.h"

#include <stdio.h>
#include <time.h>

/* ---- who ---- */

enum fault_code kagent_who(struct exchange *x, struct who *out, struct fault *fault)
{
    const struct caller *caller = &x->request.caller;
    struct str named = query_text(x, Q_USER);

    if (named.n == 0)
        named = request_header(&x->request, "X-User-Id");
    if (!caller->speaks_for_others)
        named = STR_NONE;
    if (acting_owner(x, named, &out->owner, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to get user ID");
    out->name = out->owner != caller->owner ? named : acting_name(caller->name);
    return FAULT_OK;
}

/* ---- bodies ---- */

enum fault_code kagent_body_find(struct exchange *x, struct json_member *members, size_t count,
                                 struct fault *fault)
{
    struct json_value body;
    struct json_walk walk;

    if (json_read(x->request.body, BODY_DEPTH, "the body", &body, fault) != FAULT_OK)
        return kagent_say(fault, "Invalid request body");
    if (body.type != JSON_OBJECT) {
        fault_set(fault, FAULT_INVALID, "the body must be an object");
        return kagent_say(fault, "Invalid request body");
    }
    for (json_walk_begin(&walk, &body); json_walk_next(&walk);)
        for (size_t i = 0; i < count; i++) {
            if (walk.value.type == JSON_NULL || !str_eq(walk.key, str_of(members[i].name)))
                continue;
            if (!(members[i].types & walk.value.type)) {
                fault_set(fault, FAULT_INVALID, "member \"%s\" is of another type",
                          members[i].name);
                return kagent_say(fault, "Invalid request body");
            }
            members[i].given = true;
            members[i].value = walk.value;
        }
    return FAULT_OK;
}

/* ---- replies ---- */

void kagent_envelope_open(struct exchange *x, struct json_out *out)
{
    reply_open(x, out);
    json_out_bool(out, "error", false);
}

enum fault_code kagent_envelope_close(struct exchange *x, struct json_out *out, const char *message,
                                      struct fault *fault)
{
    json_out_string(out, "message", str_of(message));
    return reply_close(x, out, fault);
}

enum fault_code kagent_say(struct fault *fault, const char *words)
{
    struct fault cause = *fault;

    if (fault_status(cause.code) >= 500)
        return fault_set(fault, cause.code, "%s", words);
    return fault_set(fault, cause.code, "%s: %s", words, cause.message);
}

void kagent_time_write(struct json_out *out, const char *key, int64_t us, int ns)
{
    time_t seconds = (time_t)(us / 1000000);
    char day[32], text[64];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    if (ns)
        snprintf(text, sizeof(text), "%s.%06d%03dZ", day, (int)(us % 1000000), ns);
    else
        snprintf(text, sizeof(text), "%s.%06dZ", day, (int)(us % 1000000));
    json_out_plain(out, key, str_of(text));
}

static void write_text(struct exchange *x, const char *text)
{
    x->reply.type = "text/plain; charset=utf-8";
    buf_add_text(&x->reply.body, text);
}

static void write_error(struct exchange *x, const struct fault *fault)
{
    struct json_out out;

    json_out_init(&out, &x->reply.body);
    json_out_object(&out, NULL);
    json_out_string(&out, "error", str_of(fault->message));
    json_out_object_end(&out);
}

void kagent_write_fault(struct exchange *x, const struct fault *fault)
{
    buf_reset(&x->reply.body);
    if (fault->code == FAULT_NOT_FOUND && !x->route)
        write_text(x, "404 page not found\n");
    else if (fault->code == FAULT_METHOD && !x->route)
        x->reply.type = "text/plain; charset=utf-8";
    else if (fault->code == FAULT_UNAUTHORIZED)
        write_text(x, "Unauthorized\n");
    else
        write_error(x, fault);
}

/* ---- what is kept of a session ---- */

struct kept kagent_kept_read(const struct session *session, struct arena *arena)
{
    struct str settings = settings_of(session, "kagent", arena);
    struct kept kept = {0};
    struct json_value value;
    struct json_walk walk;
    struct fault none;

    if (json_read(settings, LIMIT_JSON_DEPTH, "settings", &value, &none) != FAULT_OK ||
        value.type != JSON_OBJECT)
        return kept;
    for (json_walk_begin(&walk, &value); json_walk_next(&walk);) {
        if (str_eq(walk.key, STR("source")) && walk.value.type == JSON_STRING)
            kept.source = json_text(&walk.value, arena);
        kept.tasks |= str_eq(walk.key, STR("tasks")) && json_true(&walk.value);
        kept.events |= str_eq(walk.key, STR("events")) && json_true(&walk.value);
    }
    return kept;
}

static struct str kept_write(const struct kept *kept, struct arena *arena)
{
    struct json_out out;
    struct buf text;

    buf_init(&text, LIMIT_METADATA_BYTES);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    if (kept->source.n)
        json_out_string(&out, "source", kept->source);
    if (kept->tasks)
        json_out_bool(&out, "tasks", true);
    if (kept->events)
        json_out_bool(&out, "events", true);
    json_out_object_end(&out);
    return buf_take(&text, arena);
}

struct str kagent_kept_settings(const struct kept *kept, struct arena *arena)
{
    return settings_with(STR("{}"), "kagent", kept_write(kept, arena), arena);
}

static enum fault_code add_kept(void *context, const struct session *session, struct str now,
                                struct arena *arena, struct str *out, struct fault *fault)
{
    const struct kept *add = context;
    struct kept kept = kagent_kept_read(session, arena);

    (void)now;
    (void)fault;
    kept.tasks |= add->tasks;
    kept.events |= add->events;
    *out = kept_write(&kept, arena);
    return FAULT_OK;
}

static enum fault_code set_source(void *context, const struct session *session, struct str now,
                                  struct arena *arena, struct str *out, struct fault *fault)
{
    struct kept kept = kagent_kept_read(session, arena);

    (void)now;
    (void)fault;
    kept.source = *(const struct str *)context;
    *out = kept_write(&kept, arena);
    return FAULT_OK;
}

enum fault_code kagent_kept_add(struct app *app, int64_t owner, struct str session,
                                const struct kept *add, struct arena *arena, struct fault *fault)
{
    struct kept copy = *add;
    struct session ignored;

    return settings_update(app, owner, session, "kagent", add_kept, &copy, arena, &ignored, fault);
}

enum fault_code kagent_kept_source(struct app *app, int64_t owner, struct str session,
                                   struct str source, struct arena *arena, struct session *out,
                                   struct fault *fault)
{
    return settings_update(app, owner, session, "kagent", set_source, &source, arena, out, fault);
}
