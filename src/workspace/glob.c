/*
 * A pattern becomes a row of tokens, and all ways to match are followed at once: for each byte of
 * the text the set of tokens that can come next. So no pattern can make it slow, whatever its
 * stars.
 */
#include "workspace/glob.h"

#include <stdint.h>

enum token_kind {
    TOKEN_BYTE,
    TOKEN_ANY,     /* ?: any byte but '/' */
    TOKEN_SET,     /* [...] */
    TOKEN_STAR,    /* *: any bytes but '/' */
    TOKEN_DEEP,    /* **: any bytes */
    TOKEN_DEEP_DIR /* ** and a slash: nothing, or any bytes and a slash */
};

struct set {
    uint64_t bits[4];
};

struct token {
    unsigned char kind, byte;
    struct set *set;
};

struct glob {
    size_t count;
    bool broken;
    struct token tokens[];
};

enum { WORD_BITS = 64, WORDS = GLOB_TOKENS / WORD_BITS + 1 };

/* The tokens that can come next; the one after the last stands for a match. */
struct states {
    uint64_t words[WORDS];
};

static bool is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

size_t glob_plain(struct str pattern)
{
    size_t n = 0;

    while (n < pattern.n && !is_special(pattern.p[n]))
        n++;
    return n;
}

/* ---- sets ---- */

static void set_add(struct set *set, unsigned char c)
{
    set->bits[c / WORD_BITS] |= UINT64_C(1) << c % WORD_BITS;
}

static bool set_has(const struct set *set, unsigned char c)
{
    return set->bits[c / WORD_BITS] >> c % WORD_BITS & 1;
}

static void set_add_range(struct set *set, unsigned char first, unsigned char last)
{
    for (unsigned c = first; c <= last; c++)
        set_add(set, (unsigned char)c);
}

static void set_add_all(struct set *set, const char *bytes)
{
    for (; *bytes; bytes++)
        set_add(set, (unsigned char)*bytes);
}

/* The bytes of [:name:]; false when there is no such class. Blank space as git counts it. */
static bool set_add_class(struct set *set, struct str name)
{
    static const struct {
        const char *name;
        const char *ranges; /* first and last of each */
        const char *others;
    } classes[] = {
        {"alnum", "azAZ09", ""},     {"alpha", "azAZ", ""}, {"blank", "", " \t"},
        {"cntrl", "\1\x1f", "\x7f"}, {"digit", "09", ""},   {"graph", "!~", ""},
        {"lower", "az", ""},         {"print", " ~", ""},   {"punct", "!/:@[`{~", ""},
        {"space", "", " \t\n\r"},    {"upper", "AZ", ""},   {"xdigit", "09afAF", ""},
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        if (!str_eq(name, str_of(classes[i].name)))
            continue;
        for (const char *range = classes[i].ranges; *range; range += 2)
            set_add_range(set, (unsigned char)range[0], (unsigned char)range[1]);
        set_add_all(set, classes[i].others);
        return true;
    }
    return false;
}

/* ---- patterns ---- */

struct reader {
    struct str pattern;
    size_t at;
    struct arena *arena;
};

static char peek(const struct reader *reader, size_t ahead)
{
    if (reader->at + ahead >= reader->pattern.n)
        return '\0';
    return reader->pattern.p[reader->at + ahead];
}

/* A byte inside brackets, after a backslash or plain; false at the end of the pattern. */
static bool read_member(struct reader *reader, unsigned char *out)
{
    if (peek(reader, 0) == '\\')
        reader->at++;
    if (reader->at >= reader->pattern.n)
        return false;
    *out = (unsigned char)reader->pattern.p[reader->at++];
    return true;
}

/* [:name:], which begins here; *was_one is false when it is something else, and nothing is read. */
static bool read_class(struct reader *reader, struct set *set, bool *was_one)
{
    size_t start = reader->at + 2, end = start;

    while (end < reader->pattern.n && reader->pattern.p[end] != ']')
        end++;
    if (end >= reader->pattern.n)
        return false;
    *was_one = end > start && reader->pattern.p[end - 1] == ':';
    if (!*was_one)
        return true;
    reader->at = end + 1;
    return set_add_class(set, (struct str){reader->pattern.p + start, end - 1 - start});
}

/* What stands between brackets, after the first one; false when it does not end. */
static bool read_set(struct reader *reader, struct set *set)
{
    bool negated = peek(reader, 0) == '!' || peek(reader, 0) == '^', first = true;
    bool has_last = false;
    unsigned char last = 0, c;

    if (negated)
        reader->at++;
    for (; first || peek(reader, 0) != ']'; first = false) {
        if (reader->at >= reader->pattern.n)
            return false;
        if (peek(reader, 0) == '-' && has_last && peek(reader, 1) && peek(reader, 1) != ']') {
            reader->at++;
            if (!read_member(reader, &c))
                return false;
            set_add_range(set, last, c);
            has_last = false;
            continue;
        }
        if (peek(reader, 0) == '[' && peek(reader, 1) == ':') {
            bool was_one;

            if (!read_class(reader, set, &was_one))
                return false;
            if (was_one) {
                has_last = false;
                continue;
            }
        }
        if (!read_member(reader, &last))
            return false;
        set_add(set, last);
        has_last = true;
    }
    reader->at++;
    for (int i = 0; negated && i < 4; i++)
        set->bits[i] = ~set->bits[i];
    return true;
}

/* Stars, of which the first was read: two or more between slashes or ends go over slashes. */
static enum token_kind read_stars(struct reader *reader)
{
    size_t start = reader->at - 1;
    bool free_before = start == 0 || reader->pattern.p[start - 1] == '/';

    while (peek(reader, 0) == '*')
        reader->at++;
    if (reader->at - start < 2 || !free_before)
        return TOKEN_STAR;
    if (peek(reader, 0) == '/') {
        reader->at++;
        return TOKEN_DEEP_DIR;
    }
    if (reader->at == reader->pattern.n || (peek(reader, 0) == '\\' && peek(reader, 1) == '/'))
        return TOKEN_DEEP;
    return TOKEN_STAR;
}

static bool read_token(struct reader *reader, struct token *out)
{
    char c = reader->pattern.p[reader->at++];

    switch (c) {
    case '?':
        out->kind = TOKEN_ANY;
        return true;
    case '*':
        out->kind = (unsigned char)read_stars(reader);
        return true;
    case '[':
        out->kind = TOKEN_SET;
        out->set = arena_alloc(reader->arena, sizeof(*out->set));
        return read_set(reader, out->set);
    case '\\':
        if (reader->at >= reader->pattern.n)
            return false;
        c = reader->pattern.p[reader->at++];
        break;
    default:
        break;
    }
    out->kind = TOKEN_BYTE;
    out->byte = (unsigned char)c;
    return true;
}

struct glob *glob_make(struct str pattern, struct arena *arena)
{
    struct reader reader = {pattern, 0, arena};
    size_t room = pattern.n <= GLOB_TOKENS ? pattern.n : 0;
    struct glob *glob = arena_alloc(arena, sizeof(*glob) + room * sizeof(glob->tokens[0]));

    glob->broken = pattern.n > GLOB_TOKENS;
    while (!glob->broken && reader.at < pattern.n)
        glob->broken = !read_token(&reader, &glob->tokens[glob->count++]);
    return glob;
}

/* ---- matching ---- */

static void states_add_one(struct states *states, size_t at)
{
    states->words[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
}

/* The token and, when it may stand for nothing, those behind it. */
static void states_add(struct states *states, const struct glob *glob, size_t at)
{
    states_add_one(states, at);
    while (at < glob->count && glob->tokens[at].kind >= TOKEN_STAR)
        states_add_one(states, ++at);
}

static void token_step(const struct glob *glob, size_t at, unsigned char c, struct states *next)
{
    const struct token *token = &glob->tokens[at];

    switch ((enum token_kind)token->kind) {
    case TOKEN_BYTE:
        if (c == token->byte)
            states_add(next, glob, at + 1);
        return;
    case TOKEN_ANY:
        if (c != '/')
            states_add(next, glob, at + 1);
        return;
    case TOKEN_SET:
        if (c != '/' && set_has(token->set, c))
            states_add(next, glob, at + 1);
        return;
    case TOKEN_STAR:
        if (c != '/')
            states_add(next, glob, at);
        return;
    case TOKEN_DEEP:
        states_add(next, glob, at);
        return;
    case TOKEN_DEEP_DIR:
        states_add_one(next, at);
        if (c == '/')
            states_add(next, glob, at + 1);
        return;
    }
}

bool glob_matches(const struct glob *glob, struct str text)
{
    size_t words = glob->count / WORD_BITS + 1;
    struct states now, next;

    if (glob->broken)
        return false;
    memset(now.words, 0, words * sizeof(now.words[0]));
    states_add(&now, glob, 0);
    for (size_t i = 0; i < text.n; i++) {
        uint64_t any = 0;

        memset(next.words, 0, words * sizeof(next.words[0]));
        for (size_t word = 0; word < words; word++) {
            for (uint64_t left = now.words[word]; left; left &= left - 1) {
                size_t at = word * WORD_BITS + (size_t)__builtin_ctzll(left);

                if (at < glob->count)
                    token_step(glob, at, (unsigned char)text.p[i], &next);
            }
        }
        for (size_t word = 0; word < words; word++)
            any |= next.words[word];
        if (!any)
            return false;
        memcpy(now.words, next.words, words * sizeof(now.words[0]));
    }
    return now.words[glob->count / WORD_BITS] >> glob->count % WORD_BITS & 1;
}
