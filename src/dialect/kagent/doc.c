#include "dialect/kagent/doc.h"

#include "base/hash.h"
#include "base/hex.h"
#include "dialect/kagent/handler.h"
#include "dialect/member.h"
#include "message/message_in.h"

#include <stdlib.h>

enum { NAME_HASH_BYTES = 16 };

/* The invocation that the metadata of an object names, in either spelling. */
static struct str invocation_of(const struct json_value *object, struct arena *arena)
{
    struct json_value metadata;
    struct str id;

    if (!member_at(object, "metadata", &metadata))
        return STR_NONE;
    id = member_string(&metadata, "adk_invocation_id", arena);
    return id.n ? id : member_string(&metadata, "kagent_invocation_id", arena);
}

/* ---- reading ---- */

static bool is_final(struct str state)
{
    return str_eq(state, STR("completed")) || str_eq(state, STR("failed")) ||
           str_eq(state, STR("canceled")) || str_eq(state, STR("rejected"));
}

static bool id_valid(struct str id)
{
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];

        if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' &&
            c != '_' && c != ':' && c != '-')
            return false;
    }
    return id.n > 0 && id.n <= LIMIT_ID_BYTES;
}

/* An id for a message that has none of its own, or none that can be one: always the same. */
static struct str id_made(struct str from, struct arena *arena)
{
    unsigned char hash[HASH_BYTES];
    char digits[2 * NAME_HASH_BYTES];

    hash_whole(from, hash);
    hex_write(hash, NAME_HASH_BYTES, digits);
    return arena_printf(arena, "m-%.*s", (int)sizeof(digits), digits);
}

static struct str message_id(const struct doc *doc, const struct json_value *message, size_t place,
                             struct arena *arena)
{
    struct str id = member_string(message, "messageId", arena);

    if (id_valid(id))
        return id;
    if (id.n)
        return id_made(id, arena);
    return id_made(arena_printf(arena, "%.*s %zu", STR_ARG(doc->id), place), arena);
}

static int by_id(const void *a, const void *b)
{
    const struct doc_message *const *x = a, *const *y = b;
    int order = str_cmp((*x)->id, (*y)->id);

    return order ? order : *x < *y ? -1 : *x > *y;
}

static void messages_sort(struct doc *doc)
{
    for (size_t i = 0; i < doc->count; i++)
        doc->by_id[i] = &doc->messages[i];
    qsort(doc->by_id, doc->count, sizeof(struct doc_message *), by_id);
}

/* Leaves of each id the first one. */
static void messages_once(struct doc *doc, struct arena *arena)
{
    bool *again = arena_array(arena, doc->count + 1, sizeof(*again));
    size_t kept = 0;

    doc->by_id = arena_array(arena, doc->count + 1, sizeof(struct doc_message *));
    messages_sort(doc);
    for (size_t i = 1; i < doc->count; i++)
        if (str_eq(doc->by_id[i]->id, doc->by_id[i - 1]->id))
            again[doc->by_id[i] - doc->messages] = true;
    for (size_t i = 0; i < doc->count; i++)
        if (!again[i])
            doc->messages[kept++] = doc->messages[i];
    doc->count = kept;
    messages_sort(doc);
}

static const struct doc_message *message_named(const struct doc *doc, struct str id)
{
    size_t low = 0, high = doc->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(id, doc->by_id[middle]->id);

        if (order == 0)
            return doc->by_id[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static void history_read(struct doc *doc, const struct json_value *history, struct arena *arena)
{
    struct json_walk walk;
    size_t count = 0;

    if (history->type != JSON_ARRAY)
        return;
    for (json_walk_begin(&walk, history); json_walk_next(&walk);)
        count++;
    doc->messages = arena_array(arena, count + 1, sizeof(*doc->messages));
    for (json_walk_begin(&walk, history); json_walk_next(&walk);) {
        const struct json_value *value = &walk.value;

        if (value->type != JSON_OBJECT)
            continue;
        doc->messages[doc->count] = (struct doc_message){
            .id = message_id(doc, value, doc->count, arena),
            .user = str_eq(member_string(value, "role", arena), STR("user")),
            .invocation = invocation_of(value, arena),
            .value = *value,
        };
        doc->count++;
    }
    messages_once(doc, arena);
}

enum fault_code doc_read(struct str body, struct arena *arena, struct doc *out, struct fault *fault)
{
    struct json_value status, message, history;
    struct doc doc = {0};

    if (json_read(body, BODY_DEPTH, "the task", &doc.value, fault) != FAULT_OK)
        return fault_pass(fault);
    doc.id = member_string(&doc.value, "id", arena);
    doc.context = member_string(&doc.value, "contextId", arena);
    if (doc.value.type != JSON_OBJECT || doc.id.n == 0 || doc.context.n == 0)
        return fault_set(fault, FAULT_INVALID, "a task needs \"id\" and \"contextId\"");
    if (!member_at(&doc.value, "status", &status) || member_string(&status, "state", arena).n == 0)
        return fault_set(fault, FAULT_INVALID, "a task needs a \"status\" with a \"state\"");
    doc.final = is_final(member_string(&status, "state", arena));
    doc.invocation = invocation_of(&doc.value, arena);
    if (member_at(&status, "message", &message))
        doc.status_names = invocation_of(&message, arena);
    if (member_at(&doc.value, "history", &history))
        history_read(&doc, &history, arena);
    *out = doc;
    return FAULT_OK;
}

/* ---- whose is what ---- */

/* Users ask first: what they say belongs to the answer that follows. */
static void resolve_users(struct doc *doc)
{
    struct str next = doc->status_names;

    for (size_t i = doc->count; i-- > 0;) {
        struct doc_message *message = &doc->messages[i];

        if (message->invocation.n)
            next = message->invocation;
        else if (message->user)
            message->invocation = next;
    }
}

static void resolve_agents(struct doc *doc)
{
    struct str before = STR_NONE;

    for (size_t i = 0; i < doc->count; i++) {
        struct doc_message *message = &doc->messages[i];

        if (message->invocation.n == 0 && !message->user)
            message->invocation = before;
        before = message->invocation;
    }
}

static bool names(const struct doc *doc, struct str invocation)
{
    for (size_t i = 0; i < doc->count; i++)
        if (str_eq(doc->messages[i].invocation, invocation))
            return true;
    return false;
}

void doc_resolve(struct doc *doc, struct arena *arena)
{
    struct str rest = doc->invocation;

    resolve_users(doc);
    resolve_agents(doc);
    if (rest.n == 0 && doc->final)
        rest = arena_printf(arena, "task:%.*s", STR_ARG(doc->id));
    if (rest.n == 0 || (!doc->final && names(doc, rest)))
        return;
    for (size_t i = 0; i < doc->count; i++)
        if (doc->messages[i].invocation.n == 0)
            doc->messages[i].invocation = rest;
}

/* ---- written again, with what was found ---- */

/* All members but the last, which the caller writes; the object stays open. */
static void members_copy(struct json_out *out, const struct json_value *object, struct str but,
                         struct arena *arena)
{
    struct json_walk walk;

    json_out_object(out, NULL);
    if (object->type != JSON_OBJECT)
        return;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);) {
        if (str_eq(walk.key, but))
            continue;
        json_out_key(out, json_unescape(walk.key, arena));
        json_out_raw(out, NULL, walk.value.raw);
    }
}

static void message_named_write(struct json_out *out, const struct json_value *message,
                                struct str invocation, struct arena *arena)
{
    struct json_value metadata = {JSON_NULL, {"null", 4}};

    member_at(message, "metadata", &metadata);
    members_copy(out, message, STR("metadata"), arena);
    json_out_key(out, STR("metadata"));
    members_copy(out, &metadata, STR("kagent_invocation_id"), arena);
    json_out_string(out, "kagent_invocation_id", invocation);
    json_out_object_end(out);
    json_out_object_end(out);
}

struct str doc_named(const struct doc *doc, struct arena *arena)
{
    struct json_value history;
    struct json_walk walk;
    struct json_out out;
    struct str copy = doc->value.raw;
    struct buf text;
    size_t place = 0;

    if (!member_at(&doc->value, "history", &history) || history.type != JSON_ARRAY)
        return copy;
    buf_init(&text, LIMIT_ENTRY_BYTES);
    json_out_init(&out, &text);
    members_copy(&out, &doc->value, STR("history"), arena);
    json_out_array(&out, "history");
    for (json_walk_begin(&walk, &history); json_walk_next(&walk);) {
        const struct doc_message *message = NULL;

        if (walk.value.type == JSON_OBJECT)
            message = message_named(doc, message_id(doc, &walk.value, place++, arena));
        if (message && message->invocation.n && invocation_of(&walk.value, arena).n == 0)
            message_named_write(&out, &walk.value, message->invocation, arena);
        else
            json_out_raw(&out, NULL, walk.value.raw);
    }
    json_out_array_end(&out);
    json_out_object_end(&out);
    if (!text.full) /* else without: it is what came */
        copy = arena_dup(arena, buf_str(&text));
    buf_clear(&text);
    return copy;
}

/* ---- as entries ---- */

static void write_file(struct json_out *out, const struct json_value *file, struct arena *arena)
{
    struct str bytes = member_string(file, "bytes", arena), uri = member_string(file, "uri", arena);
    struct str name = member_string(file, "name", arena),
               type = member_string(file, "mimeType", arena);

    json_out_object(out, NULL);
    json_out_string(out, "type", STR("file"));
    json_out_string(out, "name", name.n ? name : STR("file"));
    json_out_string(out, "media_type", type.n ? type : STR("application/octet-stream"));
    json_out_string(out, bytes.n ? "bytes" : "uri", bytes.n ? bytes : uri);
    json_out_object_end(out);
}

static void write_part(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct json_value value;

    if (member_at(part, "text", &value) && value.type == JSON_STRING) {
        json_out_object(out, NULL);
        json_out_string(out, "type", STR("text"));
        json_out_raw(out, "text", value.raw);
        json_out_object_end(out);
    } else if (member_at(part, "data", &value) && value.type == JSON_OBJECT) {
        json_out_object(out, NULL);
        json_out_string(out, "type", STR("data"));
        json_out_raw(out, "data", value.raw);
        json_out_object_end(out);
    } else if (member_at(part, "file", &value)) {
        write_file(out, &value, arena);
    }
}

static void write_parts(struct json_out *out, const struct json_value *message, struct arena *arena)
{
    struct json_value parts;
    struct json_walk walk;
    size_t before;

    json_out_array(out, "parts");
    before = out->buf->n;
    if (member_at(message, "parts", &parts) && parts.type == JSON_ARRAY)
        for (json_walk_begin(&walk, &parts); json_walk_next(&walk);)
            write_part(out, &walk.value, arena);
    if (out->buf->n == before)
        json_out_raw(out, NULL, STR("{\"type\":\"text\",\"text\":\"\"}"));
    json_out_array_end(out);
}

enum fault_code doc_entry(const struct doc *doc, const struct doc_message *message,
                          struct arena *arena, struct entry_spec *out, struct fault *fault)
{
    struct message_batch batch;
    struct json_out json;
    struct buf text;
    struct str copy;

    buf_init(&text, 2 * (size_t)LIMIT_ENTRY_BYTES);
    json_out_init(&json, &text);
    json_out_object(&json, NULL);
    json_out_string(&json, "role", message->user ? STR("user") : STR("assistant"));
    write_parts(&json, &message->value, arena);
    json_out_object(&json, "metadata");
    json_out_object(&json, "a2a");
    json_out_string(&json, "task", doc->id);
    json_out_raw(&json, "message", message->value.raw);
    json_out_object_end(&json);
    json_out_object_end(&json);
    json_out_object_end(&json);
    copy = text.full ? STR("") : arena_dup(arena, buf_str(&text));
    buf_clear(&text);
    if (copy.n == 0)
        return fault_set(fault, FAULT_TOO_LARGE, "message \"%.*s\" is too large",
                         STR_ARG(message->id));
    if (message_read(copy, arena, &batch, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = batch.entries[0];
    out->id = message->id;
    out->turn_rule = TURN_NAMED;
    out->turn = message->invocation;
    out->calls = out->results = 0; /* whoever runs it looks after its calls */
    return FAULT_OK;
}

/* ---- as a reply ---- */

static bool holds_nothing(const struct json_walk *walk, bool whole)
{
    struct json_walk inside;

    if (walk->value.type == JSON_NULL || str_eq(walk->key, STR("kind")))
        return true;
    if (!(str_eq(walk->key, STR("history")) && !whole) && !str_eq(walk->key, STR("artifacts")) &&
        !str_eq(walk->key, STR("metadata")))
        return false;
    if (walk->value.type != JSON_ARRAY && walk->value.type != JSON_OBJECT)
        return false;
    json_walk_begin(&inside, &walk->value);
    return !json_walk_next(&inside);
}

void doc_write(struct json_out *out, const char *key, const struct json_value *task, bool whole,
               struct arena *arena)
{
    struct json_walk walk;

    json_out_object(out, key);
    json_out_string(out, "kind", STR("task"));
    for (json_walk_begin(&walk, task); json_walk_next(&walk);) {
        if (holds_nothing(&walk, whole))
            continue;
        json_out_key(out, json_unescape(walk.key, arena));
        json_out_raw(out, NULL, walk.value.raw);
    }
    json_out_object_end(out);
}
