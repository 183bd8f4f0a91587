/* A new session that begins at a place of another: one row and one note. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/object_row.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/session_insert.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_row.h"
#include "store/sqlite/writer.h"
#include "store/title.h"

/* The record versions of the base's session that the source sees. */
static enum fault_code versions_seen(struct db *db, const struct link *source, struct address base,
                                     int64_t *out, struct fault *fault)
{
    struct link via;
    bool has;

    *out = 0;
    if (base.s == 0)
        return FAULT_OK;
    if (base.s == source->s)
        return db_int(db, Q_RECORD_NEWEST, ARGS(arg_int(source->s)), out, fault);
    if (path_via(db, source, base, &has, &via, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = via.base_v;
    return FAULT_OK;
}

/* The title asked for, or the next of the series that the source's title belongs to. */
static enum fault_code title_of(struct db *db, const struct link *source, struct str source_title,
                                const struct str *wanted, struct arena *arena, struct str *out,
                                struct fault *fault)
{
    struct str base;
    int64_t highest = 0;

    if (wanted || source_title.n == 0) {
        *out = wanted ? *wanted : STR("");
        return FAULT_OK;
    }
    base = title_fork_base(source_title);
    if (db_int(db, Q_TITLE_HIGHEST, ARGS(arg_int(source->owner), arg_text(base)), &highest,
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (highest >= TITLE_FORK_MAX)
        return fault_set(fault, FAULT_LIMIT, "the numbers of \"%.*s (fork N)\" are used up",
                         STR_ARG(base));
    *out = title_make(base, highest + 1, arena);
    return FAULT_OK;
}

/* What the fork would be, for a dry run. */
static enum fault_code session_would_be(struct db *db, const struct session *source,
                                        const struct session_new *new, const struct act *at,
                                        const struct tree_spec *tree, struct arena *arena,
                                        struct session *out, struct fault *fault)
{
    struct act settled;

    *out = (struct session){
        .id = STR(""),
        .title = new->title,
        .agent = new->agent,
        .owner = source->owner,
        .parent = {true, new->parent_id, new->parent_title, new->parent_message, new->parent_side,
                   false},
        .head_at = at->at,
        .messages = at->facts.visible,
        .fork_index = at->facts.visible,
        .flat_messages = at->facts.flat,
        .flat_fork_index = at->facts.flat,
        .inherited = at->facts.path,
        .metadata = new->metadata,
        .limits = source->limits,
        .home = new->home,
        .settings = new->settings,
        .workspace = {new->workspace.mode, STR("")},
        .created_us = new->at_us,
        .updated_us = new->at_us,
    };
    memcpy(out->hash, at->facts.hash, HASH_BYTES);
    if (act_settle(db, at, &settled, fault) != FAULT_OK ||
        entry_id(db, settled.at, arena, &out->head, fault) != FAULT_OK ||
        tree_hash(db, at->facts.tree, out->base_tree, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(out->tree, tree->given ? tree->hash : out->base_tree, HASH_BYTES);
    return state_get(db, &at->facts, arena, &out->state_at_head, fault);
}

/* Files that are not those of the point are the first entry of the fork. */
static enum fault_code first_files(struct db *db, int64_t s, const struct fork_spec *spec,
                                   int64_t tree, struct arena *arena, struct fault *fault)
{
    struct draft draft = {
        .kind = ENTRY_FILES,
        .id = {(const char *)spec->drawn_files.b, ID_BYTES},
        .drawn = true,
        .at_us = spec->at_us,
        .tree = tree,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .body = STR("{}"),
    };
    struct writer writer;
    struct link link;
    bool same;

    if (tree == 0)
        return FAULT_OK;
    if (link_get(db, s, &link, fault) != FAULT_OK ||
        writer_open(&writer, db, &link, arena, fault) != FAULT_OK ||
        tree_same(db, tree, writer.head.facts.tree, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    return same ? FAULT_OK : writer_add(&writer, &draft, arena, fault);
}

enum fault_code fork_run(struct db *db, const struct fork_spec *spec, struct arena *arena,
                         struct fork_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct fork_result result;
    struct session source;
    struct address source_base;
    struct session_new new;
    struct link link;
    struct act head, at;
    bool repeated;
    int64_t s, tree;

    if (once_find(db, once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        session_row_get(db, link.s, arena, &source, &source_base, fault) != FAULT_OK ||
        head_get(db, &link, &head, fault) != FAULT_OK ||
        head_expect(db, &head, spec->expect_head, arena, fault) != FAULT_OK ||
        point_find(db, &link, spec->session, &spec->point, arena, &result.point, fault) !=
            FAULT_OK ||
        point_excluded(db, &link, &result.point, arena, &result.has_excluded, &result.excluded,
                       fault) != FAULT_OK ||
        act_get(db, result.point.at, &at, fault) != FAULT_OK)
        return fault_pass(fault);
    new = (struct session_new){
        .owner = link.owner,
        .fam = link.fam,
        .id = spec->id,
        .drawn = spec->drawn,
        .state = SESSION_LIVE,
        .base = result.point.at,
        .parent_s = link.s,
        .parent_id = source.id,
        .parent_title = source.title,
        .parent_message = result.point.message,
        .parent_side = result.point.side,
        .agent = spec->agent ? *spec->agent : source.agent,
        .metadata = spec->metadata ? *spec->metadata : source.metadata,
        .limits = source.limits,
        .home = spec->home.p ? spec->home : STR(""),
        .settings = spec->settings ? *spec->settings : source.settings,
        .workspace.mode = source.workspace.mode == WORKSPACE_NONE ? WORKSPACE_NONE : WORKSPACE_OWN,
        .at_us = spec->at_us,
        .sessions_max = spec->sessions_max,
        .note = NOTE_FORKED,
    };
    if (title_of(db, &link, source.title, spec->title, arena, &new.title, fault) != FAULT_OK ||
        versions_seen(db, &link, new.base, &new.base_v, fault) != FAULT_OK ||
        link_place(db, new.base, &new.depth, &new.jump, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->dry_run) {
        if (session_would_be(db, &source, &new, &at, &spec->tree, arena, &result.session, fault) !=
            FAULT_OK)
            return fault_pass(fault);
    } else {
        if (tree_record(db, &spec->tree, &tree, fault) != FAULT_OK ||
            session_insert(db, &new, arena, &s, fault) != FAULT_OK ||
            first_files(db, s, spec, tree, arena, fault) != FAULT_OK ||
            session_get(db, s, true, arena, &result.session, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = result;
    return once_keep(db, once, spec->at_us, arena, fault);
}
