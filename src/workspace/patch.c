#include "workspace/patch.h"

#include "workspace/git.h"

#include <git2.h>

/* Kinds of file in a mode as git writes it. */
enum { GIT_FILE = 0100000, GIT_LINK = 0120000 };

/* One side: what was, or what is. */
struct side {
    const struct tree_entry *entry; /* NULL: nothing */
    struct str content;
};

static unsigned side_mode(const struct side *side)
{
    return side->entry->type == TREE_LINK ? GIT_LINK : GIT_FILE | side->entry->mode;
}

/* The mode that git has for it: of all rights it keeps one. */
static unsigned side_git_mode(const struct side *side)
{
    if (side->entry->type == TREE_LINK)
        return GIT_LINK;
    return GIT_FILE | (side->entry->mode & 0100 ? 0755 : 0644);
}

/* Does it stand in a patch? Directories do not, nor does what is not kept. */
static bool stands(const struct tree_entry *entry)
{
    return entry && (tree_is_file(entry->type) || entry->type == TREE_LINK);
}

static bool same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    if (a->type != b->type || a->size != b->size)
        return false;
    return a->type == TREE_LINK ? str_eq(a->target, b->target)
                                : memcmp(a->hash, b->hash, HASH_BYTES) == 0;
}

/* ---- names ---- */

static bool needs_quotes(struct str path)
{
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];

        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            return true;
    }
    return false;
}

/* As git does it: in quotes with C's escapes when there are bytes that not every reader takes. */
static void name_add(struct buf *out, const char *start, struct str path)
{
    if (!needs_quotes(path)) {
        buf_add_text(out, start);
        buf_add_str(out, path);
        return;
    }
    buf_add_char(out, '"');
    buf_add_text(out, start);
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];

        if (c == '"' || c == '\\') {
            buf_add_char(out, '\\');
            buf_add_char(out, (char)c);
        } else if (c < 0x20 || c >= 0x7f) {
            buf_add_format(out, "\\%03o", c);
        } else {
            buf_add_char(out, (char)c);
        }
    }
    buf_add_char(out, '"');
}

/* The line that names a side. A name with a space ends with a tab, or readers cut it off there. */
static void side_add(struct buf *out, const char *sign, const char *start, struct str path,
                     const struct side *side)
{
    buf_add_text(out, sign);
    if (!side->entry) {
        buf_add_text(out, "/dev/null");
    } else {
        name_add(out, start, path);
        if (memchr(path.p, ' ', path.n))
            buf_add_char(out, '\t');
    }
    buf_add_char(out, '\n');
}

static void modes_add(struct buf *out, const struct side *was, const struct side *is)
{
    unsigned before = side_git_mode(was), after = side_git_mode(is);

    if (before == after) { /* what git cannot see is told all the same; it takes it */
        before = side_mode(was);
        after = side_mode(is);
    }
    if (before != after)
        buf_add_format(out, "old mode %06o\nnew mode %06o\n", before, after);
}

static void head_add(struct buf *out, struct str path, const struct side *was,
                     const struct side *is)
{
    buf_add_text(out, "diff --git ");
    name_add(out, "a/", path);
    buf_add_char(out, ' ');
    name_add(out, "b/", path);
    buf_add_char(out, '\n');
    if (!was->entry)
        buf_add_format(out, "new file mode %06o\n", side_git_mode(is));
    else if (!is->entry)
        buf_add_format(out, "deleted file mode %06o\n", side_git_mode(was));
    else
        modes_add(out, was, is);
}

/* ---- lines ---- */

static enum fault_code line_add(struct buf *out, git_patch *lines, size_t hunk, size_t i,
                                struct fault *fault)
{
    const git_diff_line *line;

    if (git_patch_get_line_in_hunk(&line, lines, hunk, i) < 0)
        return git_failed("a line of a patch cannot be read", fault);
    if (line->origin == GIT_DIFF_LINE_CONTEXT || line->origin == GIT_DIFF_LINE_ADDITION ||
        line->origin == GIT_DIFF_LINE_DELETION)
        buf_add_char(out, line->origin);
    buf_add(out, line->content, line->content_len);
    return FAULT_OK;
}

static enum fault_code hunks_add(struct buf *out, git_patch *lines, struct fault *fault)
{
    size_t hunks = git_patch_num_hunks(lines);

    for (size_t i = 0; i < hunks && !out->full; i++) {
        const git_diff_hunk *hunk;
        size_t count;

        if (git_patch_get_hunk(&hunk, &count, lines, i) < 0)
            return git_failed("a part of a patch cannot be read", fault);
        buf_add_format(out, "@@ -%d,%d +%d,%d @@\n", hunk->old_start, hunk->old_lines,
                       hunk->new_start, hunk->new_lines);
        for (size_t j = 0; j < count && !out->full; j++)
            if (line_add(out, lines, i, j, fault) != FAULT_OK)
                return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code counts_add(git_patch *lines, struct patch *out, struct fault *fault)
{
    size_t context, additions, deletions;

    if (git_patch_line_stats(&context, &additions, &deletions, lines) < 0)
        return git_failed("the lines of a patch cannot be counted", fault);
    out->additions += (int64_t)additions;
    out->deletions += (int64_t)deletions;
    return FAULT_OK;
}

static enum fault_code lines_make(const struct side *was, const struct side *is, git_patch **out,
                                  struct fault *fault)
{
    git_diff_options options;

    git_begin();
    if (git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) < 0)
        return git_failed("texts cannot be compared", fault);
    options.flags = GIT_DIFF_FORCE_TEXT;
    if (git_patch_from_buffers(out, was->content.p, was->content.n, NULL, is->content.p,
                               is->content.n, NULL, &options) < 0)
        return git_failed("texts cannot be compared", fault);
    return FAULT_OK;
}

/* ---- the whole ---- */

struct making {
    struct store *store;
    struct arena *arena;
    struct patch *out;
    struct buf *text; /* NULL: only lines are counted */
};

static enum fault_code content_get(const struct making *making, struct side *side,
                                   struct fault *fault)
{
    side->content = STR("");
    if (!side->entry)
        return FAULT_OK;
    if (side->entry->type == TREE_LINK) {
        side->content = side->entry->target;
        return FAULT_OK;
    }
    return tree_file(making->store, side->entry, PATCH_FILE_BYTES, making->arena, &side->content,
                     fault);
}

static bool too_large(const struct tree_entry *entry)
{
    return entry && tree_is_file(entry->type) && entry->size > PATCH_FILE_BYTES;
}

/* From one content to another, or from or to nothing, of the same kind. */
static enum fault_code section_add(const struct making *making, struct str path, struct side was,
                                   struct side is, struct fault *fault)
{
    bool only_mode = was.entry && is.entry && same_content(was.entry, is.entry);
    git_patch *lines = NULL;
    enum fault_code code;

    if (!only_mode && (too_large(was.entry) || too_large(is.entry))) {
        making->out->binary = true;
        return FAULT_OK;
    }
    if (making->text)
        head_add(making->text, path, &was, &is);
    if (only_mode)
        return FAULT_OK;
    if (content_get(making, &was, fault) != FAULT_OK || content_get(making, &is, fault) != FAULT_OK)
        return fault_pass(fault);
    if (git_is_binary(was.content) || git_is_binary(is.content)) {
        making->out->binary = true;
        return FAULT_OK;
    }
    if (was.content.n == 0 && is.content.n == 0)
        return FAULT_OK;
    code = lines_make(&was, &is, &lines, fault);
    if (code == FAULT_OK)
        code = counts_add(lines, making->out, fault);
    if (code == FAULT_OK && making->text) {
        side_add(making->text, "--- ", "a/", path, &was);
        side_add(making->text, "+++ ", "b/", path, &is);
        code = hunks_add(making->text, lines, fault);
    }
    git_patch_free(lines);
    return code;
}

static enum fault_code sections_add(const struct making *making, const struct tree_change *change,
                                    struct fault *fault)
{
    struct side none = {0}, was = {.entry = stands(change->was) ? change->was : NULL},
                is = {.entry = stands(change->is) ? change->is : NULL};

    if ((change->was && change->was->type == TREE_LEFT) ||
        (change->is && change->is->type == TREE_LEFT)) {
        making->out->binary = true;
        return FAULT_OK;
    }
    if (!was.entry && !is.entry)
        return FAULT_OK;
    if (!was.entry || !is.entry || (was.entry->type == TREE_LINK) == (is.entry->type == TREE_LINK))
        return section_add(making, change->path, was, is, fault);
    /* A file that became a link, or a link a file: one goes, the other comes. */
    if (section_add(making, change->path, was, none, fault) != FAULT_OK)
        return fault_pass(fault);
    return section_add(making, change->path, none, is, fault);
}

enum fault_code patch_make(struct store *store, const struct tree_change *change, bool lines_only,
                           struct arena *arena, struct patch *out, struct fault *fault)
{
    struct patch patch = {.text = STR("")};
    struct buf text;
    struct making making = {store, arena, &patch, lines_only ? NULL : &text};
    enum fault_code code;

    buf_init(&text, PATCH_BYTES);
    code = sections_add(&making, change, fault);
    if (patch.binary) {
        patch.additions = patch.deletions = 0;
    } else if (code == FAULT_OK && text.full) {
        patch.too_long = true;
    } else if (code == FAULT_OK) {
        patch.text = arena_dup(arena, buf_str(&text));
    }
    buf_clear(&text);
    if (code == FAULT_OK)
        *out = patch;
    return code;
}
