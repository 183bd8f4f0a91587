#include "dialect/kagent/adk.h"

#include "dialect/kagent/same.h"

#include <assert.h>
#include <stdlib.h>

static const struct str json_null = {"null", 4};

static bool is_null(struct str value)
{
    return str_eq(value, json_null);
}

bool adk_key_shared(struct str key)
{
    return str_starts(key, STR("app:")) || str_starts(key, STR("user:"));
}

bool adk_key_temporary(struct str key)
{
    return str_starts(key, STR("temp:"));
}

enum { NONE = -1 };

/* What is known of a log while it is resolved. */
struct log {
    struct adk_act *acts;
    int64_t count;
    struct arena *arena;
    struct run *runs; /* the stretches of one session each */
    size_t run_count;
    int64_t *after;       /* the newest entry on the path after each act */
    int64_t *before;      /* of an entry: the one before it on the path */
    struct first *firsts; /* by invocation: the first act that is written with it */
    size_t first_count;
};

/* ---- places ---- */

struct run {
    int64_t s, n, index; /* acts of session s from n on stand from `index` on */
};

static void runs_find(struct log *log)
{
    log->runs = arena_array(log->arena, (size_t)log->count + 1, sizeof(*log->runs));
    for (int64_t i = 0; i < log->count; i++)
        if (i == 0 || log->acts[i].at.s != log->acts[i - 1].at.s)
            log->runs[log->run_count++] = (struct run){log->acts[i].at.s, log->acts[i].at.n, i};
}

/* Where an act stands; NONE for ADDRESS_START, and for what is not in the log. */
static int64_t index_of(const struct log *log, struct address at)
{
    for (size_t i = 0; i < log->run_count; i++) {
        int64_t index = log->runs[i].index + at.n - log->runs[i].n;

        if (log->runs[i].s == at.s && at.n >= log->runs[i].n && index < log->count &&
            log->acts[index].at.s == at.s)
            return index;
    }
    return NONE;
}

/* ---- what is effective, by the moves alone ---- */

static int64_t path_find(struct log *log)
{
    int64_t head = NONE;

    log->after = arena_array(log->arena, (size_t)log->count + 1, sizeof(*log->after));
    log->before = arena_array(log->arena, (size_t)log->count + 1, sizeof(*log->before));
    for (int64_t i = 0; i < log->count; i++) {
        if (log->acts[i].kind == ADK_MOVE) {
            int64_t to = index_of(log, log->acts[i].to);

            assert(to < i);
            head = to == NONE ? NONE : log->after[to];
        } else {
            log->before[i] = head;
            head = i;
        }
        log->after[i] = head;
    }
    return head;
}

static void effective_mark(struct log *log)
{
    for (int64_t i = 0; i < log->count; i++)
        log->acts[i].effective = false;
    for (int64_t i = path_find(log); i != NONE; i = log->before[i])
        log->acts[i].effective = log->acts[i].kind == ADK_EVENT;
}

/* ---- the first act of each invocation ---- */

struct first {
    struct str invocation;
    int64_t index;
};

static int by_invocation(const void *a, const void *b)
{
    const struct first *x = a, *y = b;
    int order = str_cmp(x->invocation, y->invocation);

    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static void firsts_find(struct log *log)
{
    size_t n = 0, kept = 0;

    log->firsts = arena_array(log->arena, (size_t)log->count + 1, sizeof(*log->firsts));
    for (int64_t i = 0; i < log->count; i++)
        if (log->acts[i].kind != ADK_NOTHING && log->acts[i].invocation.n)
            log->firsts[n++] = (struct first){log->acts[i].invocation, i};
    qsort(log->firsts, n, sizeof(*log->firsts), by_invocation);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !str_eq(log->firsts[kept - 1].invocation, log->firsts[i].invocation))
            log->firsts[kept++] = log->firsts[i];
    log->first_count = kept;
}

static int64_t first_of(const struct log *log, struct str invocation)
{
    struct first wanted = {invocation, NONE};
    size_t low = 0, high = log->first_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_invocation(&log->firsts[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < log->first_count && str_eq(log->firsts[low].invocation, invocation) &&
        log->acts[log->firsts[low].index].written)
        return log->firsts[low].index;
    return NONE;
}

/* ---- naming the moves ---- */

/* The first act from there on that ADK is given, below the move; NONE when there is none. */
static int64_t written_from(const struct log *log, int64_t from, int64_t move)
{
    for (int64_t i = from; i < move; i++)
        if (log->acts[i].written)
            return i;
    return NONE;
}

/*
 * The first act that ADK is given of those which a move takes away. A runtime's marker is no part
 * of the conversation: to go to where it stood is to go to before it, for its move is gone, too.
 */
static int64_t taken_first(const struct log *log, int64_t move)
{
    int64_t kept = index_of(log, log->acts[move].to);
    bool marker = kept != NONE && log->acts[kept].kind == ADK_MARKER;

    return written_from(log, marker ? kept : kept + 1, move);
}

/* Is the move the deed of the marker that directly stands before it? */
static bool is_deed(const struct log *log, int64_t move, int64_t taken)
{
    const struct adk_act *marker = move > 0 ? &log->acts[move - 1] : NULL;
    int64_t first;

    if (!marker || marker->kind != ADK_MARKER || marker->at.s != log->acts[move].at.s)
        return false;
    first = first_of(log, marker->target);
    return first != NONE &&
           (first == taken ||
            first == written_from(log, index_of(log, log->acts[move].to) + 1, move));
}

/* False when no invocation says what the move does. */
static bool move_name(struct log *log, int64_t move)
{
    int64_t taken = taken_first(log, move);
    struct adk_act *act = &log->acts[move];

    if (taken == NONE || is_deed(log, move, taken))
        return true; /* nothing to say */
    if (log->acts[taken].invocation.n == 0 || first_of(log, log->acts[taken].invocation) != taken)
        return false;
    act->written = true;
    act->target = log->acts[taken].invocation;
    return true;
}

static bool moves_name(struct log *log)
{
    bool all = true;

    for (int64_t i = 0; i < log->count; i++) {
        struct adk_act *act = &log->acts[i];

        act->written = act->kind == ADK_EVENT || act->kind == ADK_MARKER;
        if (act->kind == ADK_MOVE) {
            act->target = STR_NONE;
            act->delta = (struct adk_delta){0};
        }
    }
    for (int64_t i = 0; i < log->count; i++)
        all &= log->acts[i].kind != ADK_MOVE || move_name(log, i);
    return all;
}

/* ADK's own reading, step by step beside what is effective. */
static bool reading_agrees(const struct log *log)
{
    bool *seen = arena_array(log->arena, (size_t)log->count + 1, sizeof(*seen));
    int64_t i = log->count - 1;

    while (i >= 0) {
        const struct adk_act *act = &log->acts[i];

        if (!act->written) {
            i--;
        } else if (act->target.n) {
            int64_t first = first_of(log, act->target);

            i = (first != NONE && first < i ? first : i) - 1;
        } else {
            seen[i--] = true;
        }
    }
    for (i = 0; i < log->count; i++)
        if (seen[i] != log->acts[i].effective)
            return false;
    return true;
}

/* ---- state ---- */

/* What a key was given, in the order of the acts. */
struct track {
    struct str key;
    struct step {
        int64_t index;
        struct str value;
    } * steps;
    size_t count, room;
};

struct tracks {
    struct track *items; /* by key */
    size_t count;
    struct arena *arena;
};

static int track_order(const void *a, const void *b)
{
    return str_cmp(((const struct track *)a)->key, ((const struct track *)b)->key);
}

static struct tracks tracks_new(const struct adk_act *acts, size_t count, struct arena *arena)
{
    struct tracks tracks = {.arena = arena};
    size_t all = 0, n = 0;

    for (size_t i = 0; i < count; i++)
        all += acts[i].delta.count;
    tracks.items = arena_array(arena, all + 1, sizeof(*tracks.items));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < acts[i].delta.count; j++)
            tracks.items[n++].key = acts[i].delta.items[j].key;
    qsort(tracks.items, n, sizeof(*tracks.items), track_order);
    for (size_t i = 0; i < n; i++)
        if (tracks.count == 0 || !str_eq(tracks.items[tracks.count - 1].key, tracks.items[i].key))
            tracks.items[tracks.count++] = tracks.items[i];
    return tracks;
}

static void track_add(struct tracks *tracks, const struct adk_change *change, int64_t index)
{
    struct track wanted = {.key = change->key};
    struct track *track =
        bsearch(&wanted, tracks->items, tracks->count, sizeof(*tracks->items), track_order);

    assert(track);
    track->steps =
        arena_more(tracks->arena, track->steps, track->count, &track->room, sizeof(*track->steps));
    track->steps[track->count++] = (struct step){index, change->value};
}

static void tracks_add(struct tracks *tracks, const struct adk_delta *delta, int64_t index)
{
    for (size_t i = 0; i < delta->count; i++)
        track_add(tracks, &delta->items[i], index);
}

/* The value that the key had before that act; p == NULL: it was never given one. */
static struct str track_value(const struct track *track, int64_t before)
{
    size_t low = 0, high = track->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (track->steps[middle].index < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? track->steps[low - 1].value : STR_NONE;
}

/*
 * ADK's rule for a marker that stands at `move` and goes to before `first`: what the key was then,
 * where that is not what it is now; null for what was not there then, also when it is null already.
 */
static struct adk_delta marker_delta(const struct tracks *tracks, int64_t first, int64_t move)
{
    struct adk_delta delta = {arena_array(tracks->arena, tracks->count + 1, sizeof(*delta.items)),
                              0};

    for (size_t i = 0; i < tracks->count; i++) {
        const struct track *track = &tracks->items[i];
        struct str then = track_value(track, first), now = track_value(track, move);

        if (adk_key_shared(track->key) || !now.p)
            continue;
        if (!then.p || is_null(then))
            delta.items[delta.count++] = (struct adk_change){track->key, json_null};
        else if (!json_same(then, now, tracks->arena))
            delta.items[delta.count++] = (struct adk_change){track->key, then};
    }
    return delta;
}

static void deltas_find(struct log *log)
{
    struct tracks tracks = tracks_new(log->acts, (size_t)log->count, log->arena);

    for (int64_t i = 0; i < log->count; i++) {
        struct adk_act *act = &log->acts[i];

        if (!act->written)
            continue;
        if (act->kind == ADK_MOVE)
            act->delta = marker_delta(&tracks, first_of(log, act->target), i);
        tracks_add(&tracks, &act->delta, i);
    }
}

bool adk_resolve(struct adk_act *acts, size_t count, struct arena *arena)
{
    struct log log = {.acts = acts, .count = (int64_t)count, .arena = arena};
    bool named;

    runs_find(&log);
    effective_mark(&log);
    firsts_find(&log);
    named = moves_name(&log);
    if (!named || !reading_agrees(&log))
        return false;
    deltas_find(&log);
    return true;
}

struct adk_delta adk_fold(const struct adk_act *acts, size_t count, bool effective,
                          struct arena *arena)
{
    struct tracks tracks = tracks_new(acts, count, arena);
    struct adk_delta state = {arena_array(arena, tracks.count + 1, sizeof(*state.items)), 0};

    for (size_t i = 0; i < count; i++)
        if (effective ? acts[i].effective : acts[i].written)
            tracks_add(&tracks, &acts[i].delta, (int64_t)i);
    for (size_t i = 0; i < tracks.count; i++) {
        struct str value = track_value(&tracks.items[i], (int64_t)count);

        if (value.p)
            state.items[state.count++] = (struct adk_change){tracks.items[i].key, value};
    }
    return state;
}

struct adk_delta adk_difference(const struct adk_delta *now, const struct adk_delta *wanted,
                                struct arena *arena)
{
    struct adk_delta delta = {
        arena_array(arena, now->count + wanted->count + 1, sizeof(*delta.items)), 0};
    size_t i = 0, j = 0;

    while (i < now->count || j < wanted->count) {
        int order = i == now->count      ? 1
                    : j == wanted->count ? -1
                                         : str_cmp(now->items[i].key, wanted->items[j].key);

        if (order < 0 && !is_null(now->items[i].value))
            delta.items[delta.count++] = (struct adk_change){now->items[i].key, json_null};
        if (order > 0 ||
            (order == 0 && !json_same(now->items[i].value, wanted->items[j].value, arena)))
            delta.items[delta.count++] = wanted->items[j];
        i += order <= 0;
        j += order >= 0;
    }
    return delta;
}
