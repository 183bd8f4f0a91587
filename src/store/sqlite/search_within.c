/*
 * Search within one conversation: along the path of a session, newest first or oldest first.
 *
 * The index is asked for what one session wrote, from the message at a place on. Each match is an
 * act of that session; some are not on the path (rewound away) or not in the visible list. Such a
 * match is not passed over one by one: whatever stands on the path next to it, the walk goes on at
 * the next visible message there and asks again. So
 * 1. each question, answered or not, takes the walk at least one place further, and
 * 2. a stretch of matches that are no hits costs one look, however long it is.
 * A start of a word is dear to ask for: the index first puts the lists of all words together that
 * begin so. Then the second holds only for looks, and few questions are asked at a time.
 */
#include "store/sqlite/search_page.h"

#include "store/limits.h"
#include "store/sqlite/entry_row.h"
#include "store/sqlite/path.h"
#include "store/sqlite/session_row.h"

enum { START_LOOKS = LIMIT_LOOKS / 16 }; /* that a question for a start of a word counts for */

struct walk {
    struct quest *quest;
    struct page *page;
    struct session session;
    struct act head;
    bool up;       /* oldest first */
    int64_t place; /* the next message to be looked at; outside the list: none */
    int64_t looks; /* that are left */
};

static bool walk_ended(const struct walk *walk)
{
    return walk->place < 0 || walk->place >= walk->head.facts.visible;
}

static bool walk_has_enough(const struct walk *walk)
{
    return walk->looks <= 0 || walk->page->count == walk->page->max;
}

/* Nothing up to `at`, seen from where the walk came, is left to be looked at. */
static enum fault_code walk_pass(struct walk *walk, struct address at, struct fault *fault)
{
    struct db *db = walk->quest->db;
    struct address reached;
    struct act act;

    if (path_reach(db, &walk->head, at, &reached, fault) != FAULT_OK ||
        act_get(db, reached, &act, fault) != FAULT_OK)
        return fault_pass(fault);
    walk->place = walk->up ? act.facts.visible : act.facts.visible - 1;
    return FAULT_OK;
}

/*
 * Looks at the act that matched. *asks: it is no hit, and the index has to be asked anew from the
 * place where the walk now is.
 */
static enum fault_code match_look(struct walk *walk, int64_t e, bool *asks, struct fault *fault)
{
    struct quest *quest = walk->quest;
    sqlite3_stmt *q = db_query(quest->db, Q_SEARCH_TEXT, ARGS(arg_int(e)));
    struct hit hit = {.session = walk->session.id, .title = walk->session.title};
    struct address at, reached;
    struct act_head head;
    bool found, shown;

    *asks = false;
    if (db_step(quest->db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found) /* gone, and not yet from the index */
        return FAULT_OK;
    walk->looks--;
    at = column_address(q, 0);
    if (!act_head_decode_brief(column_str(q, 2), &head))
        return fault_set(fault, FAULT_CORRUPT, "the head of an act cannot be read");
    shown = entry_visible(head.kind, head.role) &&
            index_entry_text(column_str(q, 3), column_str(q, 4), quest->arena, &quest->text);
    hit.role = head.role;
    hit.at_us = head.at_us;
    hit.index = head.facts.visible - 1;
    sqlite3_reset(q);
    if (shown && path_reach(quest->db, &walk->head, at, &reached, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!shown || !address_eq(reached, at)) {
        *asks = true;
        return walk_pass(walk, at, fault);
    }
    walk->place = walk->up ? hit.index + 1 : hit.index - 1;
    if (entry_id(quest->db, at, quest->arena, &hit.message, fault) != FAULT_OK)
        return fault_pass(fault);
    return page_add(quest, walk->page, e, &hit, buf_str(&quest->text), fault);
}

/* A question to the index: what the session at `from` wrote, from that act on. */
struct question {
    struct address from;
    int64_t e; /* number of the act */
    sqlite3_stmt *answers;
};

/* Where a question from the walk's place on begins. */
static enum fault_code question_find(struct walk *walk, struct question *out, struct fault *fault)
{
    struct db *db = walk->quest->db;
    struct address *from = &out->from;

    out->e = 0;
    if (path_find(db, &walk->head, ORDINAL_VISIBLE, walk->place, from, NULL, NULL, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    return db_int(db, Q_ENTRY_NUMBER, ARGS(arg_int(from->s), arg_int(from->n)), &out->e, fault);
}

static void question_ask(struct walk *walk, struct question *question)
{
    struct quest *quest = walk->quest;
    sqlite3_stmt *q = index_find(quest->search, walk->up ? F_TEXT_UP : F_TEXT_DOWN);
    struct str match = arena_printf(quest->arena, "who : s%lld AND %.*s",
                                    (long long)question->from.s, STR_ARG(quest->words));

    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_int64(q, 2, question->e);
    question->answers = q;
    walk->looks -= quest->starts ? START_LOOKS : 1;
}

/*
 * The match was no hit. Where asking is dear and the walk goes on in the same session, the answers
 * up to there are passed over instead; *asks is then false.
 */
static enum fault_code question_go_on(struct walk *walk, struct question *question, bool *asks,
                                      struct fault *fault)
{
    struct question next;

    if (!walk->quest->starts || walk_ended(walk))
        return FAULT_OK;
    if (question_find(walk, &next, fault) != FAULT_OK)
        return fault_pass(fault);
    if (next.from.s != question->from.s)
        return FAULT_OK;
    question->e = next.e;
    *asks = false;
    return FAULT_OK;
}

/* One question from the message at the walk's place on, and its answers as far as they are hits. */
static enum fault_code walk_on(struct walk *walk, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct question question;
    bool row, asks = false;

    if (question_find(walk, &question, fault) != FAULT_OK)
        return fault_pass(fault);
    question_ask(walk, &question);
    do {
        int64_t e, s = question.from.s;

        if (index_step(walk->quest->search, question.answers, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return walk_pass(walk, (struct address){walk->up ? s : s - 1, INT64_MAX}, fault);
        e = sqlite3_column_int64(question.answers, 0);
        if (walk->up ? e < question.e : e > question.e)
            continue;
        code = match_look(walk, e, &asks, fault);
        if (code == FAULT_OK && asks)
            code = question_go_on(walk, &question, &asks, fault);
    } while (code == FAULT_OK && !asks && !walk_has_enough(walk) && !walk_ended(walk));
    sqlite3_reset(question.answers);
    return code;
}

static enum fault_code walk_begin(struct walk *walk, struct fault *fault)
{
    const struct search_spec *spec = walk->quest->spec;
    struct db *db = walk->quest->db;
    struct link link;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        session_get(db, link.s, false, walk->quest->arena, &walk->session, fault) != FAULT_OK ||
        head_get(db, &link, &walk->head, fault) != FAULT_OK)
        return fault_pass(fault);
    walk->up = spec->way == SEARCH_AFTER;
    walk->place = walk->head.facts.visible - 1;
    if (spec->way == SEARCH_BEFORE && spec->place <= walk->place)
        walk->place = spec->place - 1;
    if (walk->up)
        walk->place = spec->place < INT64_MAX ? spec->place + 1 : INT64_MAX;
    return FAULT_OK;
}

enum fault_code search_within(struct quest *quest, struct page *page, struct search_info *info,
                              struct fault *fault)
{
    struct walk walk = {.quest = quest, .page = page, .looks = LIMIT_LOOKS};

    if (walk_begin(&walk, fault) != FAULT_OK)
        return fault_pass(fault);
    while (!walk_ended(&walk) && !walk_has_enough(&walk))
        if (walk_on(&walk, fault) != FAULT_OK)
            return fault_pass(fault);
    if (!walk_ended(&walk))
        info->next = walk.up ? walk.place - 1 : walk.place + 1;
    return FAULT_OK;
}
