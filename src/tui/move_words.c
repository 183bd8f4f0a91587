#include "tui/move_words.h"

#include "base/buf.h"
#include "client/conflict_words.h"
#include "tui/cells.h"

#include <inttypes.h>

enum { TEXT_BYTES = 64 * 1024, TITLE_COLUMNS = 40, GIST_COLUMNS = 60, PATH_COLUMNS = 200 };

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *move_words_title(const char *title, struct arena *arena)
{
    struct str shown = cells_fit(str_of(title), TITLE_COLUMNS, arena, NULL);

    return shown.n ? arena_printf(arena, "“%.*s”", STR_ARG(shown)).p : "the untitled session";
}

/* ---- files ---- */

static int64_t count_of(const struct tine_paths *paths)
{
    return (int64_t)paths->count + paths->more;
}

static void add_path(struct buf *out, const char *name, const char *reason, struct arena *arena)
{
    buf_add_text(out, "  ");
    buf_add_str(out, cells_fit(str_of(name), PATH_COLUMNS, arena, NULL));
    if (reason) {
        buf_add_text(out, " (");
        buf_add_str(out, cells_clean(str_of(conflict_words(reason)), arena));
        buf_add_char(out, ')');
    }
    buf_add_char(out, '\n');
}

static void add_more(struct buf *out, int64_t more)
{
    if (more > 0)
        buf_add_format(out, "  and %" PRId64 " more\n", more);
}

/* "2 files would be written:" and which. */
static void add_paths(struct buf *out, const struct tine_paths *paths, const char *what,
                      struct arena *arena)
{
    int64_t all = count_of(paths);
    size_t named = paths->count < MOVE_WORDS_PATHS ? paths->count : MOVE_WORDS_PATHS;

    if (all == 0)
        return;
    buf_add_format(out, "%" PRId64 " file%s would be %s:\n", all, plural(all), what);
    for (size_t i = 0; i < named; i++)
        add_path(out, paths->list[i], NULL, arena);
    add_more(out, all - (int64_t)named);
}

/* A merge names its conflicts with reasons; of other moves somebody else is the reason. */
static int64_t conflict_count(const struct tine_result *result)
{
    int64_t listed = (int64_t)result->conflict_count + result->conflicts_more;

    return listed || !result->report ? listed : count_of(&result->report->conflicts);
}

static void add_conflicts(struct buf *out, const struct tine_result *result, struct arena *arena)
{
    int64_t all = conflict_count(result), named = 0;

    if (all == 0)
        return;
    buf_add_format(out, "%" PRId64 " file%s in conflict:\n", all, all == 1 ? " is" : "s are");
    for (size_t i = 0; i < result->conflict_count && named < MOVE_WORDS_PATHS; i++, named++)
        add_path(out, result->conflicts[i].name, result->conflicts[i].reason, arena);
    if (result->conflict_count == 0)
        for (size_t i = 0; i < result->report->conflicts.count && named < MOVE_WORDS_PATHS;
             i++, named++)
            add_path(out, result->report->conflicts.list[i], "foreign", arena);
    add_more(out, all - named);
}

bool move_words_has_conflicts(const struct tine_result *dry)
{
    return conflict_count(dry) > 0;
}

bool move_words_has_files(const struct tine_result *dry)
{
    const struct tine_files_report *report = dry->report;

    return move_words_has_conflicts(dry) ||
           (report && (count_of(&report->restored) || count_of(&report->deleted)));
}

const char *move_words_conflicts(const struct tine_result *result, struct arena *arena)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES);
    add_conflicts(&text, result, arena);
    return buf_take(&text, arena).p;
}

static void add_files(struct buf *out, const struct tine_result *dry, struct arena *arena)
{
    const struct tine_files_report *report = dry->report;

    if (!move_words_has_files(dry)) {
        buf_add_text(out, "No file would change.\n");
        return;
    }
    if (report) {
        add_paths(out, &report->restored, "written", arena);
        add_paths(out, &report->deleted, "deleted", arena);
    }
    add_conflicts(out, dry, arena);
    if (report && count_of(&report->skipped))
        buf_add_format(out, "%" PRId64 " file%s would be left alone.\n", count_of(&report->skipped),
                       plural(count_of(&report->skipped)));
}

/* ---- messages ---- */

static void add_messages(struct buf *out, const struct tine_result *dry, const char *first,
                         const char *from, struct arena *arena)
{
    const struct tine_move *move = dry->move;
    int64_t stay = dry->session ? dry->session->messages - move->dropped : move->kept;

    buf_add_format(out, "%" PRId64 " message%s would stay.\n", stay, plural(stay));
    if (move->dropped)
        buf_add_format(out, "%" PRId64 " message%s would go", move->dropped, plural(move->dropped));
    if (move->dropped && first)
        buf_add_format(out, ", from here on:\n  %.*s\n",
                       STR_ARG(cells_fit(str_of(first), GIST_COLUMNS, arena, NULL)));
    else if (move->dropped)
        buf_add_text(out, ".\n");
    if (move->kept > stay)
        buf_add_format(out, "%" PRId64 " message%s would come back.\n", move->kept - stay,
                       plural(move->kept - stay));
    if (move->added)
        buf_add_format(out, "%" PRId64 " message%s of %s would be taken over.\n", move->added,
                       plural(move->added), from ? from : "the other session");
    if (dry->point && dry->point->snapped)
        buf_add_text(out, "A tool call is open at that message: the nearest place before it is "
                          "taken.\n");
}

const char *move_words_dry(const struct tine_result *dry, const char *first, const char *from,
                           struct arena *arena)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES);
    if (dry->move)
        add_messages(&text, dry, first, from, arena);
    add_files(&text, dry, arena);
    return buf_take(&text, arena).p;
}

/* ---- done ---- */

static void add_done(struct buf *out, int64_t n, const char *noun, const char *what)
{
    if (n)
        buf_add_format(out, "%s%" PRId64 " %s%s %s", out->n ? ", " : "", n, noun, plural(n), what);
}

const char *move_words_done(const struct tine_result *result, struct arena *arena)
{
    const struct tine_move *move = result->move;
    const struct tine_files_report *report = result->report;
    struct buf text;

    buf_init(&text, TEXT_BYTES);
    if (move) {
        add_done(&text, move->dropped, "message", "dropped");
        add_done(&text, move->added, "message", "taken over");
    }
    if (report) {
        add_done(&text, count_of(&report->restored), "file", "written");
        add_done(&text, count_of(&report->deleted), "file", "deleted");
    }
    if (move && result->session)
        buf_add_format(&text, "%s%" PRId64 " message%s now", text.n ? ", " : "",
                       result->session->messages, plural(result->session->messages));
    return text.n ? buf_take(&text, arena).p : "";
}

const char *move_words_fork(const struct tine_result *result, struct arena *arena)
{
    const struct tine_point *point = result->point;
    const struct tine_parent *parent = result->session->parent;
    int64_t shared = point ? point->index : result->session->messages;
    const char *side = "at the beginning";

    if (point && point->message && strcmp(point->side, "before") == 0)
        side = arena_printf(arena, "before message %" PRId64, shared + 1).p;
    else if (shared > 0)
        side = arena_printf(arena, "after message %" PRId64, shared).p;
    return arena_printf(arena,
                        "forked from %s %s · %" PRId64 " message%s shared; the original is "
                        "untouched",
                        move_words_title(parent ? parent->title : "", arena), side, shared,
                        plural(shared))
        .p;
}
