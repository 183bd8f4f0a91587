/*
 * All rules in force stand in one row, those of the top first: the last one that matches decides,
 * so the row is gone through from its end. What git does with a pattern is described in its manual
 * (gitignore); where the manual is silent, what git does is the rule: up to the first wildcard a
 * pattern is compared as it stands, and only what comes after it is a pattern by itself.
 */
#include "workspace/ignore.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/buf.h"
#include "workspace/glob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large, and made again from what is kept beside it. */
static const char built_in[] = "node_modules/\n"
                               "__pycache__/\n"
                               ".venv/\n"
                               ".mypy_cache/\n"
                               ".pytest_cache/\n"
                               ".ruff_cache/\n"
                               ".tox/\n"
                               ".gradle/\n";

enum { NAME_BYTES = 255 };

enum rule_kind {
    RULE_PLAIN, /* is the text */
    RULE_ENDS,  /* ends with the text */
    RULE_GLOB   /* begins with the text, and what comes then is matched */
};

struct rule {
    enum rule_kind kind;
    bool negative, dir_only;
    bool on_path; /* looks at the path below `base`; else at the name alone */
    size_t base;  /* length of the directory's path with its slash; 0: the top */
    struct str text;
    const struct glob *glob;
};

/* A directory that was entered. */
struct level {
    struct level *above;
    struct arena arena;        /* of its rules */
    size_t rules, bytes, path; /* as they were before it was entered */
    unsigned char hash[HASH_BYTES];
};

struct ignore {
    struct level *level; /* entered last */
    struct rule *rules;
    size_t count, room;
    size_t bytes;    /* of text that the rules were read from */
    struct buf path; /* of the directory with its slash; a name is added while it is looked at */
    struct hasher *hasher;
};

static void rule_add(struct ignore *ignore, const struct rule *rule)
{
    ignore->rules = array_more(ignore->rules, ignore->count, &ignore->room, sizeof(*ignore->rules));
    ignore->rules[ignore->count++] = *rule;
}

/* Blanks at the end do not count, unless there is a backslash before them. */
static struct str without_blanks(struct str line)
{
    size_t end = 0;

    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == ' ')
            continue;
        if (line.p[i] == '\\')
            i++;
        end = i + 1;
    }
    return (struct str){line.p, end < line.n ? end : line.n};
}

static bool has_slash(struct str s)
{
    return s.n && memchr(s.p, '/', s.n);
}

/* The pattern without its marks becomes a rule. */
static void rule_read(struct ignore *ignore, struct str pattern, struct rule *rule)
{
    size_t plain;

    rule->on_path = has_slash(pattern);
    if (rule->on_path && pattern.p[0] == '/')
        pattern = (struct str){pattern.p + 1, pattern.n - 1};
    plain = glob_plain(pattern);
    rule->text = pattern;
    if (plain == pattern.n) {
        rule->kind = RULE_PLAIN;
        return;
    }
    if (!rule->on_path && plain == 0 && pattern.p[0] == '*') {
        struct str end = {pattern.p + 1, pattern.n - 1};

        if (glob_plain(end) == end.n) {
            rule->kind = RULE_ENDS;
            rule->text = end;
            return;
        }
    }
    /* Of a name the whole is one pattern, so that two stars in it are one. */
    if (!rule->on_path)
        plain = 0;
    rule->kind = RULE_GLOB;
    rule->text.n = plain;
    rule->glob =
        glob_make((struct str){pattern.p + plain, pattern.n - plain}, &ignore->level->arena);
}

static void line_read(struct ignore *ignore, struct str line, size_t base)
{
    struct rule rule = {.base = base};
    const char *nul = line.n ? memchr(line.p, '\0', line.n) : NULL;

    if (line.n == 0 || line.p[0] == '#')
        return;
    if (line.p[line.n - 1] == '\r')
        line.n--;
    if (nul && nul < line.p + line.n)
        line.n = (size_t)(nul - line.p);
    line = without_blanks(line);
    if (line.n && line.p[0] == '!') {
        rule.negative = true;
        line = (struct str){line.p + 1, line.n - 1};
    }
    if (line.n && line.p[line.n - 1] == '/') {
        rule.dir_only = true;
        line.n--;
    }
    if (line.n == 0 || ignore->count >= IGNORE_RULES)
        return;
    rule_read(ignore, line, &rule);
    rule_add(ignore, &rule);
}

static void text_read(struct ignore *ignore, struct str text, size_t base)
{
    size_t at = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

    while (at < text.n) {
        const char *end = memchr(text.p + at, '\n', text.n - at);
        size_t n = end ? (size_t)(end - text.p) - at : text.n - at;

        line_read(ignore, (struct str){text.p + at, n}, base);
        at += n + 1;
    }
}

/* ---- files of rules ---- */

static enum fault_code open_failed(const char *name, struct fault *fault)
{
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        return fault_set(fault, FAULT_IO, "cannot read %s: %s", name, strerror(errno));
    return FAULT_OK; /* there is none, or none that may be read */
}

/* At most `max` bytes; of a longer file whole lines only. */
static struct str fd_read(int fd, int64_t size, size_t max, struct arena *arena)
{
    size_t room = size < (int64_t)max ? (size_t)size : max, n = 0;
    char *p = arena_alloc(arena, room + 1);

    while (n < room) {
        ssize_t got = read(fd, p + n, room - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    while (size > (int64_t)max && n > 0 && p[n - 1] != '\n')
        n--;
    return (struct str){p, n};
}

/* Adds the rules of a file to the row, and the file to the hash. */
static enum fault_code file_read(struct ignore *ignore, int dir, const char *name,
                                 struct fault *fault)
{
    struct level *level = ignore->level;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat stat;

    if (fd < 0)
        return open_failed(name, fault);
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode)) {
        size_t left = IGNORE_BYTES - ignore->bytes;
        struct str text = fd_read(
            fd, stat.st_size, left < IGNORE_FILE_BYTES ? left : IGNORE_FILE_BYTES, &level->arena);

        ignore->bytes += text.n;
        text_read(ignore, text, ignore->path.n);
        hasher_begin(ignore->hasher);
        hasher_add(ignore->hasher, level->hash, HASH_BYTES);
        hasher_add_str(ignore->hasher, buf_str(&ignore->path));
        hasher_add_str(ignore->hasher, text);
        hasher_end(ignore->hasher, level->hash);
    }
    close(fd);
    return FAULT_OK;
}

/* .git/info/exclude, with a .git that is a directory. */
static enum fault_code exclude_read(struct ignore *ignore, int dir, struct fault *fault)
{
    enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC };
    int git = openat(dir, ".git", FLAGS), info;
    enum fault_code code = FAULT_OK;

    if (git < 0)
        return open_failed(".git", fault);
    info = openat(git, "info", FLAGS);
    if (info < 0)
        code = open_failed(".git/info", fault);
    else
        code = file_read(ignore, info, "exclude", fault);
    if (info >= 0)
        close(info);
    close(git);
    return code;
}

static enum fault_code level_read(struct ignore *ignore, int dir, struct fault *fault)
{
    if (ignore->path.n == 0 && exclude_read(ignore, dir, fault) != FAULT_OK)
        return fault_pass(fault);
    if (file_read(ignore, dir, ".gitignore", fault) != FAULT_OK)
        return fault_pass(fault);
    return file_read(ignore, dir, ".tineignore", fault);
}

/* ---- the way down ---- */

static void level_push(struct ignore *ignore)
{
    struct level *level = calloc(1, sizeof(*level));

    if (!level)
        abort();
    arena_init(&level->arena);
    level->above = ignore->level;
    level->rules = ignore->count;
    level->bytes = ignore->bytes;
    level->path = ignore->path.n;
    if (level->above)
        memcpy(level->hash, level->above->hash, HASH_BYTES);
    ignore->level = level;
}

struct ignore *ignore_new(void)
{
    struct ignore *ignore = calloc(1, sizeof(*ignore));

    if (!ignore)
        abort();
    ignore->hasher = hasher_new();
    buf_init(&ignore->path, IGNORE_PATH_BYTES + NAME_BYTES + 1);
    level_push(ignore);
    text_read(ignore, STR(built_in), 0);
    hash_whole(STR(built_in), ignore->level->hash);
    return ignore;
}

void ignore_leave(struct ignore *ignore)
{
    struct level *level = ignore->level;

    ignore->count = level->rules;
    ignore->bytes = level->bytes;
    ignore->path.n = level->path;
    ignore->level = level->above;
    arena_clear(&level->arena);
    free(level);
}

void ignore_free(struct ignore *ignore)
{
    if (!ignore)
        return;
    while (ignore->level)
        ignore_leave(ignore);
    buf_clear(&ignore->path);
    hasher_free(ignore->hasher);
    free(ignore->rules);
    free(ignore);
}

enum fault_code ignore_enter(struct ignore *ignore, int dir, struct str path, struct fault *fault)
{
    if (path.n > IGNORE_PATH_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "a path of more than %d bytes", IGNORE_PATH_BYTES);
    level_push(ignore);
    buf_reset(&ignore->path);
    buf_add_str(&ignore->path, path);
    if (path.n)
        buf_add_char(&ignore->path, '/');
    if (level_read(ignore, dir, fault) != FAULT_OK) {
        ignore_leave(ignore);
        return fault_pass(fault);
    }
    return FAULT_OK;
}

void ignore_rules(const struct ignore *ignore, unsigned char out[HASH_BYTES])
{
    memcpy(out, ignore->level->hash, HASH_BYTES);
}

/* ---- matching ---- */

static bool ends_with(struct str s, struct str end)
{
    return s.n >= end.n && (end.n == 0 || memcmp(s.p + s.n - end.n, end.p, end.n) == 0);
}

static bool rule_matches(const struct rule *rule, struct str text)
{
    switch (rule->kind) {
    case RULE_PLAIN:
        return str_eq(text, rule->text);
    case RULE_ENDS:
        return ends_with(text, rule->text);
    case RULE_GLOB:
        break;
    }
    if (!str_starts(text, rule->text))
        return false;
    return glob_matches(rule->glob, (struct str){text.p + rule->text.n, text.n - rule->text.n});
}

bool ignore_has(struct ignore *ignore, struct str name, bool is_dir)
{
    size_t n = ignore->path.n;
    bool found = false;

    assert(name.p && name.n <= NAME_BYTES);
    buf_add_str(&ignore->path, name);
    assert(ignore->path.p);
    for (size_t i = ignore->count; i > 0; i--) {
        const struct rule *rule = &ignore->rules[i - 1];
        struct str below = {ignore->path.p + rule->base, n + name.n - rule->base};

        if (rule->dir_only && !is_dir)
            continue;
        if (rule_matches(rule, rule->on_path ? below : name)) {
            found = !rule->negative;
            break;
        }
    }
    ignore->path.n = n;
    return found;
}
