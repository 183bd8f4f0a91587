#include "dialect/native/log_out.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "dialect/native/log_form.h"
#include "dialect/native/object.h"
#include "json/json_in.h"

#include <stdio.h>

void log_out_init(struct log_out *out, log_out_write *write, void *context)
{
    *out = (struct log_out){.write = write, .context = context, .hasher = hasher_new()};
    buf_init(&out->line, LOG_LINE_MAX);
    log_numbers_init(&out->numbers);
    log_numbers_init(&out->families);
    hasher_begin(out->hasher);
}

void log_out_clear(struct log_out *out)
{
    hasher_free(out->hasher);
    out->hasher = NULL;
    buf_clear(&out->line);
    log_numbers_clear(&out->numbers);
    log_numbers_clear(&out->families);
}

static enum fault_code line_end(struct log_out *out, struct fault *fault)
{
    buf_add_char(&out->line, '\n');
    if (out->line.full)
        return fault_set(fault, FAULT_TOO_LARGE, "an item does not fit into %d bytes",
                         LOG_LINE_MAX);
    hasher_add(out->hasher, out->line.p, out->line.n);
    return out->write(out->context, buf_str(&out->line), fault);
}

static struct json_out line_begin(struct log_out *out)
{
    struct json_out json;

    buf_reset(&out->line);
    json_out_init(&json, &out->line);
    json_out_object(&json, NULL);
    return json;
}

enum fault_code log_out_begin(struct log_out *out, struct str owner, int64_t at_us,
                              struct fault *fault)
{
    struct json_out json = line_begin(out);

    json_out_int(&json, "tine_export", LOG_FORM_VERSION);
    json_out_string(&json, "owner", owner);
    json_out_int(&json, "at_us", at_us);
    json_out_object_end(&json);
    return line_end(out, fault);
}

enum fault_code log_out_end(struct log_out *out, struct fault *fault)
{
    unsigned char sum[HASH_BYTES];
    struct json_out json = line_begin(out);

    hasher_end(out->hasher, sum);
    hasher_begin(out->hasher);
    json_out_object(&json, "end");
    json_out_int(&json, "items", out->items);
    json_out_hex(&json, "sha256", sum, sizeof(sum));
    json_out_object_end(&json);
    json_out_object_end(&json);
    return line_end(out, fault);
}

/* ---- members that are left out when they say nothing ---- */

static void put_text(struct json_out *json, const char *key, struct str text)
{
    if (text.n)
        json_out_string(json, key, text);
}

static void put_int(struct json_out *json, const char *key, int64_t value)
{
    if (value)
        json_out_int(json, key, value);
}

static void put_true(struct json_out *json, const char *key, bool value)
{
    if (value)
        json_out_bool(json, key, true);
}

static void put_hex(struct json_out *json, const char *key, struct str bytes)
{
    if (bytes.n)
        json_out_hex(json, key, bytes.p, bytes.n);
}

static void put_word(struct json_out *json, const char *key, const char *word)
{
    json_out_string(json, key, str_of(word));
}

static void put_address(struct json_out *json, const char *key, struct address address)
{
    if (address_eq(address, ADDRESS_START))
        return;
    json_out_array(json, key);
    json_out_int(json, NULL, address.s);
    json_out_int(json, NULL, address.n);
    json_out_array_end(json);
}

/* True when a reader of the line gets back exactly these bytes as a value. */
static bool can_splice(struct str bytes)
{
    struct json_value value;
    struct fault fault;

    if (memchr(bytes.p, '\n', bytes.n) || memchr(bytes.p, '\r', bytes.n))
        return false;
    return json_read(bytes, LIMIT_JSON_DEPTH, "", &value, &fault) == FAULT_OK &&
           value.raw.n == bytes.n;
}

static void put_json(struct json_out *json, const char *key, struct str bytes)
{
    char other[32];

    if (bytes.n == 0)
        return;
    if (can_splice(bytes)) {
        json_out_raw(json, key, bytes);
    } else if (utf8_valid(bytes)) {
        snprintf(other, sizeof(other), "%s_text", key);
        json_out_string(json, other, bytes);
    } else {
        snprintf(other, sizeof(other), "%s_hex", key);
        json_out_hex(json, other, bytes.p, bytes.n);
    }
}

/* ---- items ---- */

static void put_session(struct json_out *json, const struct log_session *session)
{
    static const char *const states[] = {"live", "deleted", "sub"};

    json_out_object(json, "session");
    json_out_int(json, "s", session->s);
    if (session->family != session->s)
        json_out_int(json, "family", session->family);
    if (session->state != SESSION_LIVE)
        put_word(json, "state", states[session->state]);
    json_out_string(json, "id", session->id);
    put_text(json, "title", session->title);
    put_text(json, "agent", session->agent);
    put_json(json, "metadata", session->metadata);
    put_json(json, "limits", session->limits);
    put_text(json, "home", session->home);
    if (!str_eq(session->settings, STR("{}")))
        put_json(json, "settings", session->settings);
    put_address(json, "base", session->base);
    put_int(json, "base_version", session->base_version);
    if (session->parent.known) {
        json_out_object(json, "parent");
        put_int(json, "s", session->parent_s);
        put_text(json, "session", session->parent.session);
        put_text(json, "title", session->parent.title);
        put_text(json, "message", session->parent.message);
        put_word(json, "side", object_side(session->parent.side));
        put_true(json, "deleted", session->parent.deleted);
        json_out_object_end(json);
    }
    put_true(json, "archived", session->archived);
    if (session->workspace.mode == WORKSPACE_NONE)
        put_word(json, "workspace", "none");
    json_out_int(json, "created_us", session->created_us);
    json_out_int(json, "touched_us", session->touched_us);
    json_out_object_end(json);
}

static void put_act_head(struct json_out *json, const struct log_act *act)
{
    put_address(json, "at", act->at);
    put_word(json, "kind", object_kind(act->kind));
    if (act->role != ROLE_NONE)
        put_word(json, "role", object_role(act->role));
    put_int(json, "flags", act->flags);
    json_out_string(json, "id", act->id);
    put_true(json, "drawn", act->id_is_drawn);
    put_text(json, "turn", act->turn);
    json_out_int(json, "at_us", act->at_us);
}

static void put_act(struct json_out *json, const struct log_act *act)
{
    json_out_object(json, "act");
    put_act_head(json, act);
    if (act->has_usage) {
        json_out_array(json, "usage");
        json_out_int(json, NULL, act->usage.input);
        json_out_int(json, NULL, act->usage.output);
        json_out_int(json, NULL, act->usage.cost);
        json_out_array_end(json);
    }
    put_int(json, "calls", act->calls);
    put_int(json, "results", act->results);
    if (act->state.p)
        json_out_hex(json, "state", act->state.p, act->state.n);
    put_hex(json, "tree", act->tree);
    put_address(json, "ref", act->ref);
    put_address(json, "merged", act->merged);
    if (act->kind == ENTRY_MOVE) {
        put_word(json, "move", object_move(act->move));
        put_word(json, "scope", object_scope(act->scope));
        put_address(json, "to", act->to);
    }
    put_hex(json, "salt", act->salt);
    put_hex(json, "content", act->content);
    put_hex(json, "hash", act->hash);
    put_hex(json, "spans", act->spans);
    put_true(json, "erased", act->erased);
    put_json(json, "body", act->body);
    json_out_object_end(json);
}

static void put_note(struct json_out *json, const struct log_note *note)
{
    json_out_object(json, "note");
    json_out_int(json, "s", note->s);
    put_word(json, "act", object_note(note->note.act));
    json_out_int(json, "at_us", note->note.at_us);
    put_text(json, "message", note->note.message);
    put_text(json, "was", note->note.was);
    put_text(json, "now", note->note.now);
    json_out_object_end(json);
}

static void put_record(struct json_out *json, const struct log_record *record)
{
    json_out_object(json, "record");
    json_out_int(json, "s", record->s);
    json_out_int(json, "version", record->version);
    put_int(json, "kind", record->kind);
    json_out_string(json, "id", record->id);
    put_text(json, "turn", record->turn);
    put_address(json, "place", record->place);
    json_out_int(json, "at_us", record->at_us);
    put_json(json, "body", record->body);
    json_out_object_end(json);
}

static void put_label(struct json_out *json, const struct log_label *label)
{
    json_out_object(json, "label");
    json_out_int(json, "in", label->in_s);
    put_address(json, "at", label->at);
    json_out_string(json, "text", label->text);
    json_out_object_end(json);
}

static void put_object(struct json_out *json, const struct object *object)
{
    static const char *const kinds[] = {
        [OBJECT_DIR] = "dir", [OBJECT_FILE] = "file", [OBJECT_PIECES] = "pieces"};

    json_out_object(json, "object");
    json_out_hex(json, "hash", object->hash, HASH_BYTES);
    put_word(json, "kind", kinds[object->kind]);
    put_int(json, "size", object->size);
    json_out_key(json, STR("data"));
    buf_add_char(json->buf, '"');
    base64_add(json->buf, object->data);
    buf_add_char(json->buf, '"');
    json->comma = true;
    json_out_object_end(json);
}

/* ---- numbers ---- */

/* The number in the file of a session that was given before. */
static void renumber(const struct log_out *out, int64_t *s, bool *lost)
{
    if (*s == 0)
        return;
    *s = log_numbers_find(&out->numbers, *s);
    if (*s == 0)
        *lost = true;
}

/* What an entry was adopted or merged from may be gone; it is only a record. */
static void renumber_ref(const struct log_out *out, struct log_act *act, bool *lost)
{
    if ((act->flags & (ENTRY_ADOPTED | ENTRY_MERGED)) &&
        log_numbers_find(&out->numbers, act->ref.s) == 0)
        act->ref = ADDRESS_START;
    renumber(out, &act->ref.s, lost);
}

static void renumber_session(struct log_out *out, struct log_session *session, bool *lost)
{
    int64_t number = (int64_t)out->numbers.count + 1;

    renumber(out, &session->base.s, lost);
    session->parent_s = session->parent_s ? log_numbers_find(&out->numbers, session->parent_s) : 0;
    session->family = log_numbers_add(&out->families, session->family, number);
    session->s = log_numbers_add(&out->numbers, session->s, number);
}

static enum fault_code renumber_item(struct log_out *out, struct log_item *item,
                                     struct fault *fault)
{
    bool lost = false;

    switch (item->kind) {
    case LOG_SESSION:
        renumber_session(out, &item->session, &lost);
        break;
    case LOG_ACT:
        renumber(out, &item->act.at.s, &lost);
        renumber_ref(out, &item->act, &lost);
        renumber(out, &item->act.merged.s, &lost);
        renumber(out, &item->act.to.s, &lost);
        break;
    case LOG_NOTE:
        renumber(out, &item->note.s, &lost);
        break;
    case LOG_RECORD:
        renumber(out, &item->record.s, &lost);
        renumber(out, &item->record.place.s, &lost);
        break;
    case LOG_LABEL:
        renumber(out, &item->label.in_s, &lost);
        renumber(out, &item->label.at.s, &lost);
        break;
    case LOG_OBJECT:
        break;
    }
    if (lost)
        return fault_set(fault, FAULT_CORRUPT, "item %lld refers to a session that is not there",
                         (long long)out->items + 1);
    return FAULT_OK;
}

enum fault_code log_out_item(void *context, const struct log_item *item, struct fault *fault)
{
    struct log_out *out = context;
    struct log_item numbered = *item;
    enum fault_code code = renumber_item(out, &numbered, fault);
    struct json_out json = line_begin(out);

    if (code)
        return code;
    switch (numbered.kind) {
    case LOG_SESSION:
        put_session(&json, &numbered.session);
        out->sessions += numbered.session.state == SESSION_LIVE;
        break;
    case LOG_ACT:
        put_act(&json, &numbered.act);
        break;
    case LOG_NOTE:
        put_note(&json, &numbered.note);
        break;
    case LOG_RECORD:
        put_record(&json, &numbered.record);
        break;
    case LOG_LABEL:
        put_label(&json, &numbered.label);
        break;
    case LOG_OBJECT:
        put_object(&json, &numbered.object);
        break;
    }
    json_out_object_end(&json);
    out->items++;
    return line_end(out, fault);
}
