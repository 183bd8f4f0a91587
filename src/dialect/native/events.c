/* Events: what happened, in the words of the native API, and the streams that tell it. */
#include "dialect/native/listening.h"

#include "base/utf8.h"
#include "dialect/native/file_object.h"

enum {
    EVENT_BODY_BYTES = 64 * 1024,  /* a larger message is only named in its event */
    EVENT_BYTES = 1024 * 1024,     /* of one event as it is sent: names are far below */
    PIECE_BYTES = 16 * 1024 * 1024 /* of one piece of running text, escaped */
};

/* ---- words ---- */

static const char *const types[] = {
    "session.created", "session.forked", "session.rewound", "session.undone",  "session.redone",
    "session.adopted", "session.merged", "session.updated", "session.deleted", "message.added",
    "message.delta",   "turn.started",   "turn.waiting",    "turn.ended",      "files.changed",
};

static const char *move_type(enum move_act act)
{
    switch (act) {
    case MOVE_REWIND:
        return "session.rewound";
    case MOVE_UNDO:
        return "session.undone";
    case MOVE_REDO:
        return "session.redone";
    case MOVE_ADOPT:
        return "session.adopted";
    case MOVE_MERGE:
        return "session.merged";
    }
    return NULL;
}

static const char *entry_type(const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_MOVE:
        return move_type(entry->move);
    case ENTRY_STATE:
        return "session.updated";
    case ENTRY_FILES:
        return "files.changed";
    default:
        return "message.added";
    }
}

static const char *note_type(enum note_act act)
{
    switch (act) {
    case NOTE_CREATED:
        return "session.created";
    case NOTE_FORKED:
        return "session.forked";
    case NOTE_DELETED:
        return "session.deleted";
    case NOTE_TURN_STARTED:
        return "turn.started";
    case NOTE_TURN_ENDED:
        return "turn.ended";
    default:
        return "session.updated";
    }
}

/* ---- data ---- */

static void write_large(struct json_out *out, const struct entry *entry)
{
    json_out_object(out, "message");
    json_out_string(out, "id", entry->id);
    json_out_name(out, "role", entry->role ? str_of(object_role(entry->role)) : STR_NONE);
    json_out_name(out, "turn", entry->turn);
    json_out_bool(out, "large", true);
    json_out_object_end(out);
}

static void write_move(struct json_out *out, const struct entry *entry)
{
    json_out_object(out, "move");
    json_out_string(out, "id", entry->id);
    json_out_string(out, "act", str_of(object_move(entry->move)));
    json_out_string(out, "scope", str_of(object_scope(entry->scope)));
    if (entry->ref_id.n) {
        json_out_object(out, "to");
        json_out_string(out, "session", entry->ref_session);
        json_out_string(out, "message", entry->ref_id);
        json_out_object_end(out);
    } else {
        json_out_null(out, "to");
    }
    json_out_int(out, "messages", entry->ref_index);
    json_out_object_end(out);
}

static void write_files(struct json_out *out, const struct entry *entry)
{
    json_out_object(out, "files");
    json_out_string(out, "id", entry->id);
    object_write_tree(out, "tree", entry->tree);
    json_out_bool(out, "foreign", (entry->flags & ENTRY_FOREIGN) != 0);
    if (entry->flags & ENTRY_LEFT_OUT)
        json_out_bool(out, "left_out", true);
    json_out_object_end(out);
}

static void write_entry(struct json_out *out, const struct entry *entry)
{
    if (entry->own_tree && entry->kind != ENTRY_STATE) /* also a message can bring files */
        json_out_string(out, "change", STR("files"));
    if (entry->kind == ENTRY_MOVE)
        write_move(out, entry);
    else if (entry->kind == ENTRY_STATE)
        json_out_string(out, "change", STR("state"));
    else if (entry->kind == ENTRY_FILES)
        write_files(out, entry);
    else if (entry->body.n > EVENT_BODY_BYTES)
        write_large(out, entry);
    else
        object_write_entry(out, "message", entry);
}

static void write_label(struct json_out *out, const struct note *note)
{
    json_out_object(out, "label");
    json_out_string(out, "message", note->message);
    json_out_name(out, "label", note->act == NOTE_LABELLED ? note->now : STR_NONE);
    json_out_object_end(out);
}

static void write_turn(struct json_out *out, const struct note *note)
{
    bool ended = note->act == NOTE_TURN_ENDED;

    json_out_object(out, "turn");
    json_out_string(out, "id", note->message);
    json_out_string(out, "state", ended ? note->now : STR("running"));
    if (ended && note->was.n)
        json_out_string(out, "reason", note->was);
    json_out_object_end(out);
}

static void write_note(struct json_out *out, const struct note *note)
{
    switch (note->act) {
    case NOTE_CREATED:
        json_out_string(out, "title", note->now);
        break;
    case NOTE_FORKED:
        json_out_string(out, "title", note->now);
        json_out_object(out, "from");
        json_out_string(out, "session", note->was);
        json_out_name(out, "message", note->message);
        json_out_object_end(out);
        break;
    case NOTE_RENAMED:
        json_out_string(out, "change", str_of(object_note(note->act)));
        json_out_string(out, "title", note->now);
        break;
    case NOTE_LABELLED:
    case NOTE_UNLABELLED:
        json_out_string(out, "change", str_of(object_note(note->act)));
        write_label(out, note);
        break;
    case NOTE_TURN_STARTED:
    case NOTE_TURN_ENDED:
        write_turn(out, note);
        break;
    case NOTE_UPDATED:
    case NOTE_ARCHIVED:
    case NOTE_UNARCHIVED:
        json_out_string(out, "change", str_of(object_note(note->act)));
        break;
    case NOTE_DELETED:
        break;
    }
}

/* The listener has missed something for good: there is no more to say. */
static const char *write_reset(struct json_out *out)
{
    json_out_string(out, "reason",
                    STR("the number asked for is not known here, or events up to this one are not "
                        "kept any more"));
    return "reset";
}

/* White space between the members of somebody's JSON may be line ends, which an event cannot have.
 */
static void one_line(struct buf *data)
{
    for (size_t i = 0; i < data->n; i++)
        if (data->p[i] == '\n' || data->p[i] == '\r')
            data->p[i] = ' ';
}

struct hub_word native_event_render(const struct event *event, struct arena *arena)
{
    const struct journal_item *item = &event->item;
    struct hub_word word = {0};
    struct json_out out;
    struct buf data;

    buf_init(&data, EVENT_BYTES);
    json_out_init(&out, &data);
    json_out_object(&out, NULL);
    if (item->entry || item->note)
        json_out_string(&out, "session", event->session);
    if (item->entry) {
        word.type = entry_type(item->entry);
        json_out_time(&out, "at", item->entry->at_us);
        write_entry(&out, item->entry);
    } else if (item->note) {
        word.type = note_type(item->note->act);
        json_out_time(&out, "at", item->note->at_us);
        write_note(&out, item->note);
    } else {
        word.type = write_reset(&out);
    }
    json_out_object_end(&out);
    one_line(&data);
    word.message = arena_printf(arena, "id: %lld\nevent: %s\ndata: %.*s\n\n", (long long)item->e,
                                word.type, STR_ARG(buf_str(&data)));
    buf_clear(&data);
    return word;
}

static struct str ask_render(const struct turn_piece *piece, struct arena *arena)
{
    const struct delta *delta = &piece->delta;
    struct question question = {.kind = delta->name.n ? ASK_TOOL : ASK_INPUT,
                                .id = delta->id,
                                .name = delta->name,
                                .arguments = delta->text,
                                .text = delta->text};
    struct json_out out;
    struct buf data;
    struct str message;

    buf_init(&data, PIECE_BYTES);
    json_out_init(&out, &data);
    json_out_object(&out, NULL);
    json_out_string(&out, "session", piece->session);
    json_out_object(&out, "turn");
    json_out_string(&out, "id", piece->turn);
    json_out_string(&out, "state", str_of(run_state_name(RUN_WAITING)));
    object_write_asks(&out, &question);
    json_out_object_end(&out);
    json_out_object_end(&out);
    one_line(&data);
    message = arena_printf(arena, "event: turn.waiting\ndata: %.*s\n\n", STR_ARG(buf_str(&data)));
    buf_clear(&data);
    return message;
}

struct str native_piece_render(const struct turn_piece *piece, struct arena *arena)
{
    static const char *const kinds[] = {
        [DELTA_TEXT] = "text",
        [DELTA_REASONING] = "reasoning",
        [DELTA_CALL] = "call",
        [DELTA_OUTPUT] = "output",
    };
    const struct delta *delta = &piece->delta;
    struct json_out out;
    struct buf data;
    struct str message;

    if (delta->kind == DELTA_ASK)
        return ask_render(piece, arena);
    buf_init(&data, PIECE_BYTES);
    json_out_init(&out, &data);
    json_out_object(&out, NULL);
    json_out_string(&out, "session", piece->session);
    json_out_string(&out, "turn", piece->turn);
    json_out_int(&out, "step", piece->step);
    json_out_string(&out, "kind", str_of(kinds[delta->kind]));
    if (delta->kind == DELTA_CALL || delta->kind == DELTA_OUTPUT) {
        json_out_object(&out, "call");
        json_out_string(&out, "id", delta->id);
        json_out_name(&out, "name", delta->name);
        json_out_object_end(&out);
    }
    json_out_int(&out, "offset", piece->offset);
    json_out_string(&out, "text", delta->text);
    json_out_object_end(&out);
    message = arena_printf(arena, "event: %s\ndata: %.*s\n\n", NATIVE_PIECE_TYPE,
                           STR_ARG(buf_str(&data)));
    buf_clear(&data);
    return message;
}

/* ---- streams ---- */

enum { E_SINCE, E_TYPES, E_SESSION };

/* One name of the list, or the beginning of some with the dot at its end. */
static bool type_known(struct str name)
{
    bool start = name.n > 1 && name.p[name.n - 1] == '.';

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (start ? str_starts(str_of(types[i]), name) : str_eq(str_of(types[i]), name))
            return true;
    return false;
}

static enum fault_code types_check(struct str list, struct fault *fault)
{
    while (list.n) {
        const char *comma = memchr(list.p, ',', list.n);
        struct str name = {list.p, comma ? (size_t)(comma - list.p) : list.n};

        if (!type_known(name))
            return fault_set(fault, FAULT_INVALID, "\"types\" has the unknown type \"%.*s\"",
                             STR_ARG(utf8_cut(name, 64)));
        list.p += name.n + (comma != NULL);
        list.n -= name.n + (comma != NULL);
    }
    return FAULT_OK;
}

/* The number after which the client listens: the header wins, because a browser sets it. */
static enum fault_code since_read(struct exchange *x, int64_t *out, bool *given,
                                  struct fault *fault)
{
    struct str last = request_header(&x->request, "Last-Event-ID");
    int64_t value = 0;

    *given = true;
    if (!last.p || last.n == 0) {
        *given = query_given(x, E_SINCE);
        *out = query_number(x, E_SINCE, 0);
        return FAULT_OK;
    }
    for (size_t i = 0; i < last.n; i++) {
        if (last.n > 18 || last.p[i] < '0' || last.p[i] > '9')
            return fault_set(fault, FAULT_INVALID, "Last-Event-ID is no number of an event");
        value = value * 10 + (last.p[i] - '0');
    }
    *out = value;
    return FAULT_OK;
}

static enum fault_code listen_to(struct exchange *x, struct hub_filter *filter, struct fault *fault)
{
    struct listening *listening;
    struct session session;
    int64_t since;
    bool given;

    filter->owner = x->request.caller.sees;
    filter->types = query_text(x, E_TYPES);
    if (types_check(filter->types, fault) != FAULT_OK ||
        since_read(x, &since, &given, fault) != FAULT_OK)
        return fault_pass(fault);
    if (filter->session.n && store_session_get(app_of(x)->store, filter->owner, filter->session,
                                               false, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!given && hub_now(app_of(x)->hub, &since, fault) != FAULT_OK)
        return fault_pass(fault);
    listening = listening_new(x);
    listening_drop(listening, false); /* no turn holds it */
    if (filter->session.n)
        listening_pieces(listening);
    listening_stream(listening, x, filter, since, false);
    return FAULT_OK;
}

enum fault_code native_events_all(struct exchange *x, struct fault *fault)
{
    struct hub_filter filter = {.session = query_text(x, E_SESSION)};

    return listen_to(x, &filter, fault);
}

enum fault_code native_events_session(struct exchange *x, struct fault *fault)
{
    struct hub_filter filter = {.session = session_of(x)};

    return listen_to(x, &filter, fault);
}
