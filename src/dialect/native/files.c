/* The files of a session: listed and read as they were at any message, written where it works. */
#include "dialect/native/handler.h"

#include "base/utf8.h"
#include "base/hex.h"
#include "dialect/native/file_object.h"
#include "http/target.h"

/* ---- where ---- */

/* `at` of the query; without it, the files as they are recorded now. */
static enum fault_code place_read(struct exchange *x, size_t at, size_t part,
                                  struct files_place *out, struct fault *fault)
{
    *out = (struct files_place){
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
    };
    if (!query_given(x, at))
        return FAULT_OK;
    return point_word_read(query_text(x, at), "at", query_flag(x, part), &out->at, fault);
}

static struct str path_of(const struct exchange *x)
{
    return x->request.params[1];
}

/* ---- lists ---- */

enum { L_AT, L_PATH, L_DEEP, L_LIVE, L_LIMIT, L_CURSOR, L_PART };

/* Places in a cursor: the place that is listed, whether all below it is, and how many were given.
 */
enum { AT_S, AT_N, AT_DEEP, AT_COUNT };

struct listing {
    struct exchange *x;
    struct json_out out;
    int64_t limit, skip;
    int64_t seen, count; /* entries gone over, and written */
    int64_t left_out;
    bool more;
};

/* Goes on behind the page's end: what is left out counts, wherever it stands. */
static enum fault_code list_visit(void *context, struct str path, const struct tree_entry *entry,
                                  struct fault *fault)
{
    struct listing *list = context;
    bool full = list->count == list->limit ||
                (list->count > 0 && list->x->reply.body.n + path.n * 4 > PAGE_BYTES);

    (void)fault;
    if (entry->type == TREE_LEFT)
        list->left_out++;
    if (list->seen++ < list->skip || list->more)
        return FAULT_OK;
    list->more = full;
    if (full)
        return FAULT_OK;
    object_write_file(&list->out, NULL, path, entry);
    list->count++;
    return FAULT_OK;
}

static enum fault_code stop_visit(void *context, struct str path, const struct tree_entry *entry,
                                  struct fault *fault)
{
    (void)path;
    (void)entry;
    *(bool *)context = true;
    return visit_enough(fault);
}

/* Records the directory as it is now, so that pages of it can be read one after another. */
static enum fault_code live_record(struct exchange *x, const struct files_place *place,
                                   struct fault *fault)
{
    struct files_place live = *place;
    unsigned char tree[HASH_BYTES];
    bool stopped = false;
    enum fault_code code;

    if (caller_may(x, RIGHT_WRITE, "record the files as they are now", fault) != FAULT_OK)
        return fault_pass(fault);
    live.live = true;
    code = workspaces_list(app_of(x)->workspaces, &live, STR(""), false, stop_visit, &stopped, tree,
                           fault);
    return stopped ? FAULT_OK : code;
}

/* A cursor is of one directory of one session. */
static struct str list_subject(struct exchange *x)
{
    return arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(session_of(x)),
                        STR_ARG(query_text(x, L_PATH)));
}

static struct point_spec point_at(struct address at)
{
    return (struct point_spec){
        .by = at.s ? POINT_ADDRESS : POINT_START,
        .address = at,
        .guard = GUARD_NONE,
    };
}

/* What is listed, as a fixed place, so that all pages are of the same files. */
static enum fault_code list_place(struct exchange *x, struct cursor *cursor,
                                  struct files_place *place, struct fault *fault)
{
    unsigned char tree[HASH_BYTES];
    struct address at;

    if (query_given(x, L_CURSOR)) {
        if (query_given(x, L_AT) || query_given(x, L_LIVE) || query_given(x, L_DEEP))
            return fault_set(fault, FAULT_INVALID,
                             "\"cursor\" goes only with \"path\" and \"limit\"");
        if (place_read(x, L_AT, L_PART, place, fault) != FAULT_OK ||
            cursor_read(query_text(x, L_CURSOR), cursor, fault) != FAULT_OK)
            return fault_pass(fault);
        place->at = point_at((struct address){cursor->numbers[AT_S], cursor->numbers[AT_N]});
        return FAULT_OK;
    }
    if (query_flag(x, L_LIVE) && query_given(x, L_AT))
        return fault_set(fault, FAULT_INVALID, "only one of \"at\" and \"live\" can be given");
    if (place_read(x, L_AT, L_PART, place, fault) != FAULT_OK ||
        (query_flag(x, L_LIVE) && live_record(x, place, fault) != FAULT_OK) ||
        store_tree_at(app_of(x)->store, place->owner, place->session, &place->at, &at, tree,
                      fault) != FAULT_OK)
        return fault_pass(fault);
    place->at = point_at(at);
    cursor->numbers[AT_S] = at.s;
    cursor->numbers[AT_N] = at.n;
    cursor->numbers[AT_DEEP] = query_flag(x, L_DEEP);
    return FAULT_OK;
}

enum fault_code native_files_list(struct exchange *x, struct fault *fault)
{
    struct cursor cursor = {.kind = 'f', .subject = list_subject(x)};
    struct listing list = {.x = x, .limit = query_number(x, L_LIMIT, PAGE_DEFAULT)};
    struct str path = query_given(x, L_PATH) ? query_text(x, L_PATH) : STR("");
    unsigned char tree[HASH_BYTES];
    struct files_place place;

    if (list_place(x, &cursor, &place, fault) != FAULT_OK)
        return fault_pass(fault);
    list.skip = cursor.numbers[AT_COUNT];
    reply_open(x, &list.out);
    json_out_array(&list.out, "files");
    if (workspaces_list(app_of(x)->workspaces, &place, path, cursor.numbers[AT_DEEP] != 0,
                        list_visit, &list, tree, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&list.out);
    object_write_tree(&list.out, "tree", tree);
    json_out_int(&list.out, "left_out", list.left_out);
    if (list.more) {
        cursor.numbers[AT_COUNT] += list.count;
        json_out_string(&list.out, "next", cursor_write(&cursor, &x->arena));
    }
    return reply_close(x, &list.out, fault);
}

/* ---- reading ---- */

enum { R_AT, R_PART };

/* Text is what is UTF-8 throughout and has no odd control characters; all else is just bytes. */
static const char *media_type(struct str content)
{
    for (size_t i = 0; i < content.n; i++) {
        unsigned char c = (unsigned char)content.p[i];

        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f)
            return "application/octet-stream";
    }
    return utf8_valid(content) ? "text/plain; charset=utf-8" : "application/octet-stream";
}

/* Is one of the tags in an If-None-Match this one? */
static bool tag_given(struct str list, struct str tag)
{
    if (str_eq(list, STR("*")))
        return true;
    return list.n >= tag.n && memmem(list.p, list.n, tag.p, tag.n) != NULL;
}

static struct str file_tag(struct exchange *x, const struct tree_entry *entry, struct str content)
{
    static const unsigned char none[HASH_BYTES];
    unsigned char hash[HASH_BYTES];
    char *tag = arena_alloc(&x->arena, 2 * HASH_BYTES + 2);

    memcpy(hash, entry->hash, HASH_BYTES);
    if (!tree_is_file(entry->type) || memcmp(hash, none, HASH_BYTES) == 0)
        hash_whole(content, hash);
    tag[0] = tag[2 * HASH_BYTES + 1] = '"';
    hex_write(hash, HASH_BYTES, tag + 1);
    return (struct str){tag, 2 * HASH_BYTES + 2};
}

/*
 * A file is whatever an agent has written: it must never run as a page of this server. So it has no
 * type but text or bytes, is to be saved and not shown, and is in a sandbox should it be shown.
 */
static void file_headers(struct exchange *x, struct str tag)
{
    reply_header(x, "ETag", tag);
    reply_header(x, "Cache-Control", STR("private, no-cache"));
    reply_header(x, "Content-Disposition", STR("attachment"));
    reply_header(x, "Content-Security-Policy", STR("sandbox; default-src 'none'"));
    reply_header(x, "Cross-Origin-Resource-Policy", STR("same-origin"));
}

enum fault_code native_file_get(struct exchange *x, struct fault *fault)
{
    struct files_place place;
    struct tree_entry entry;
    struct str content, tag;

    if (place_read(x, R_AT, R_PART, &place, fault) != FAULT_OK)
        return fault_pass(fault);
    /* To look at the directory is to record it, which who may only read does not. */
    place.live = !query_given(x, R_AT) && x->request.caller.right >= RIGHT_WRITE;
    if (workspaces_read(app_of(x)->workspaces, &place, path_of(x), &x->arena, &entry, &content,
                        fault) != FAULT_OK)
        return fault_pass(fault);
    tag = file_tag(x, &entry, content);
    file_headers(x, tag);
    if (tag_given(request_header(&x->request, "If-None-Match"), tag)) {
        x->reply.status = 304;
        return FAULT_OK;
    }
    x->reply.type = media_type(content);
    buf_reset(&x->reply.body);
    buf_add_str(&x->reply.body, content);
    return reply_check(x, fault);
}

/* ---- writing ---- */

enum { W_EXPECT_HEAD, W_MODE };

/* "0755": permission bits only, for nobody is to become somebody else by a file. */
static enum fault_code mode_read(struct exchange *x, unsigned *out, struct fault *fault)
{
    struct str text = query_text(x, W_MODE);
    unsigned mode = 0;

    *out = 0;
    if (!query_given(x, W_MODE))
        return FAULT_OK;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '7' || text.n > 5)
            return fault_set(fault, FAULT_INVALID, "\"mode\" must be octal, such as 0644");
        mode = mode * 8 + (unsigned)(text.p[i] - '0');
    }
    if (mode == 0 || mode > 0777)
        return fault_set(fault, FAULT_INVALID, "\"mode\" must be between 0001 and 0777");
    *out = mode;
    return FAULT_OK;
}

/* The file, and the entry of the session that tells of it; null when nothing changed. */
static enum fault_code write_put(struct exchange *x, const struct file_result *result,
                                 struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    object_write_file(&out, "file", path_of(x), &result->file);
    object_write_tree(&out, "tree", result->tree);
    json_out_name(&out, "entry", result->entry.id);
    return reply_close(x, &out, fault);
}

static enum fault_code put(struct exchange *x, bool remove, struct file_result *out,
                           struct fault *fault)
{
    struct app *app = app_of(x);
    struct file_cmd cmd = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .path = path_of(x),
        .remove = remove,
        .content = x->request.body.p ? x->request.body : STR(""),
        .expect_head = query_text(x, W_EXPECT_HEAD),
    };

    if ((!remove && mode_read(x, &cmd.mode, fault) != FAULT_OK) ||
        workspaces_put(app->workspaces, &cmd, &x->arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.file_writes, 1);
    return FAULT_OK;
}

enum fault_code native_file_put(struct exchange *x, struct fault *fault)
{
    struct file_result result = {0};

    if (put(x, false, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    if (result.made)
        x->reply.status = 201;
    return write_put(x, &result, fault);
}

enum fault_code native_file_delete(struct exchange *x, struct fault *fault)
{
    struct file_result result = {0};

    return put(x, true, &result, fault);
}

/* ---- bringing one back ---- */

enum { B_PATH, B_PATH_BYTES, B_AT, B_PART, B_COUNT };

struct restored {
    struct files_report report;
    struct file_result result;
};

static void write_restored(struct json_out *out, const void *restored_)
{
    const struct restored *restored = restored_;

    json_out_object(out, NULL);
    object_write_files(out, "files", &restored->report);
    object_write_tree(out, "tree", restored->result.tree);
    json_out_name(out, "entry", restored->result.entry.id);
    json_out_object_end(out);
}

/* "at": a place in the list as a number, or a message as in a query. */
static enum fault_code at_read(struct exchange *x, const struct json_member *m,
                               struct point_spec *out, struct fault *fault)
{
    bool part = m[B_PART].given && json_true(&m[B_PART].value);

    if (m[B_AT].value.type == JSON_STRING)
        return point_word_read(member_text(x, &m[B_AT]), "at", part, out, fault);
    *out = (struct point_spec){.by = POINT_INDEX, .side = SIDE_AFTER, .guard = GUARD_NONE};
    if (!json_int(&m[B_AT].value, -INT64_C(1000000000000000), INT64_C(1000000000000000),
                  &out->ordinal))
        return fault_set(fault, FAULT_INVALID, "\"at\" must be a whole number");
    return FAULT_OK;
}

static enum fault_code restore_read(struct exchange *x, struct files_place *place, struct str *path,
                                    struct fault *fault)
{
    struct json_member m[B_COUNT] = {
        [B_PATH] = JSON_MAY("path", JSON_STRING),
        [B_PATH_BYTES] = JSON_MAY("path_bytes", JSON_STRING),
        [B_AT] = JSON_MUST("at", JSON_STRING | JSON_NUMBER),
        [B_PART] = JSON_MAY("part", JSON_BOOL),
    };

    if (body_members(x, m, B_COUNT, fault) != FAULT_OK ||
        at_read(x, m, &place->at, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[B_PATH].given + m[B_PATH_BYTES].given != 1)
        return fault_set(fault, FAULT_INVALID, "one of \"path\" and \"path_bytes\" must be given");
    place->owner = x->request.caller.sees;
    place->session = session_of(x);
    *path = member_text(x, &m[B_PATH]);
    if (m[B_PATH_BYTES].given)
        return target_decode_rest(member_text(x, &m[B_PATH_BYTES]), &x->arena, path, fault);
    return FAULT_OK;
}

/* The act is not one transaction, so its answer is kept in one behind it, as with a cancel. */
enum fault_code native_session_restore(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct restored restored = {0};
    struct files_place place = {0};
    struct reply_once kept;
    struct once *once;
    struct str path;

    if (restore_read(x, &place, &path, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &kept, write_restored, &restored, &once, fault) != FAULT_OK ||
        (once && store_answer_find(app->store, once, engine_now_us(app->engine), &x->arena,
                                   fault) != FAULT_OK))
        return fault_pass(fault);
    if (once && once->repeated)
        return once_reply(x, &kept, NULL, fault);
    if (workspaces_restore(app->workspaces, &place, path, &x->arena, &restored.report,
                           &restored.result, fault) != FAULT_OK ||
        (once && store_answer_keep(app->store, once, engine_now_us(app->engine), &x->arena,
                                   fault) != FAULT_OK))
        return fault_pass(fault);
    return once_reply(x, &kept, &app->counts.restores, fault);
}
