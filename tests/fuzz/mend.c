#include "mend.h"

#include "store/facts.h"

#include <stdlib.h>

enum { LAST_LINE_MAX = 256 };

struct mend_place {
    struct address at;
    unsigned char hash[HASH_BYTES];
};

/* ---- the last line ---- */

/* What stands before the last line, when that is an end; else everything. */
static struct str without_end(struct str export)
{
    size_t n = export.n;

    while (n > 0 && export.p[n - 1] == '\n')
        n--;
    while (n > 0 && export.p[n - 1] != '\n')
        n--;
    if (str_starts((struct str){export.p + n, export.n - n}, STR("{\"end\"")))
        return (struct str){export.p, n};
    return export;
}

static void add_end(struct buf *text, struct hasher *hasher)
{
    unsigned char sum[HASH_BYTES];
    int64_t lines = 0;

    for (size_t i = 0; i < text->n; i++)
        lines += text->p[i] == '\n';
    hasher_begin(hasher);
    hasher_add(hasher, text->p, text->n);
    hasher_end(hasher, sum);
    buf_add_format(text, "{\"end\":{\"items\":%lld,\"sha256\":\"", (long long)(lines - 1));
    for (int i = 0; i < HASH_BYTES; i++)
        buf_add_format(text, "%02x", sum[i]);
    buf_add_text(text, "\"}}\n");
}

void mend_init(struct mend *mend, struct str export)
{
    struct str lines = without_end(export);

    *mend = (struct mend){.hasher = hasher_new()};
    buf_init(&mend->text, export.n + LAST_LINE_MAX);
    buf_add_str(&mend->text, lines);
    if (lines.n > 0 && lines.p[lines.n - 1] != '\n')
        buf_add_char(&mend->text, '\n');
    add_end(&mend->text, mend->hasher);
    log_in_init_memory(&mend->in, buf_str(&mend->text));
}

void mend_clear(struct mend *mend)
{
    log_in_clear(&mend->in);
    buf_clear(&mend->text);
    hasher_free(mend->hasher);
    free(mend->places);
}

/* ---- path hashes ---- */

/* The hash at a place; all zero before everything and where nothing is known. */
static const unsigned char *hash_at(const struct mend *mend, struct address at)
{
    static const unsigned char zero[HASH_BYTES];

    for (size_t i = mend->count; i > 0; i--)
        if (address_eq(mend->places[i - 1].at, at))
            return mend->places[i - 1].hash;
    return zero;
}

static void place_add(struct mend *mend, struct address at, const unsigned char *hash)
{
    struct mend_place place = {.at = at};

    memcpy(place.hash, hash, HASH_BYTES);
    if (mend->count == mend->room) {
        mend->room = mend->room ? 2 * mend->room : 64;
        mend->places = realloc(mend->places, mend->room * sizeof(*mend->places));
        if (!mend->places)
            abort();
    }
    mend->places[mend->count++] = place;
}

static void content_of(struct mend *mend, const struct log_act *act, unsigned char *out)
{
    struct content content = {
        .salt = (const unsigned char *)act->salt.p,
        .kind = act->kind,
        .role = act->role,
        .id = act->id,
        .turn = act->turn,
        .at_us = act->at_us,
        .usage = act->usage,
        .state = act->state,
        .tree = act->tree,
        .body = act->body,
    };

    if (act->kind == ENTRY_SUBSESSION)
        content.pinned = (struct str){(const char *)hash_at(mend, act->ref), HASH_BYTES};
    if (act->salt.n == SALT_BYTES)
        content_hash(mend->hasher, &content, out);
    else if (act->content.n == HASH_BYTES)
        memcpy(out, act->content.p, HASH_BYTES);
}

static void act_mend(struct mend *mend, struct log_act *act)
{
    unsigned char content[HASH_BYTES] = {0};
    struct facts_step step = {
        .kind = act->kind, .role = act->role, .has_state = act->state.p, .content = content};
    struct facts before = {0}, after;
    bool move = act->kind == ENTRY_MOVE;

    content_of(mend, act, content);
    memcpy(before.hash, hash_at(mend, move ? act->to : (struct address){act->at.s, act->at.n - 1}),
           HASH_BYTES);
    after = (move ? facts_move : facts_next)(mend->hasher, &before, (struct usage){0}, &step);
    memcpy(mend->hash, after.hash, HASH_BYTES);
    place_add(mend, act->at, mend->hash);
    act->hash = (struct str){(const char *)mend->hash, HASH_BYTES};
}

enum fault_code mend_next(void *context, struct log_item *item, bool *end, struct fault *fault)
{
    struct mend *mend = context;
    enum fault_code code = log_in_next(&mend->in, item, end, fault);

    if (code != FAULT_OK || *end)
        return code;
    if (item->kind == LOG_SESSION)
        place_add(mend, (struct address){item->session.s, 0}, hash_at(mend, item->session.base));
    if (item->kind == LOG_ACT)
        act_mend(mend, &item->act);
    return FAULT_OK;
}
