#include "dialect/native/listening.h"

#include "dialect/tie.h"
#include "http/problem.h"

#include <stdlib.h>

struct listening {
    struct tie tie;
    struct hub *hub;
    struct turns *turns;
    struct hub_filter filter; /* its names are the tie's */
    char *types;
    int64_t since;
    bool until_end;
    bool pieces; /* what a running turn has said so far is still to be told */
    /* on the loop */
    bool missed; /* events were cleared away before they were read */
    int64_t known_step, known_text, known_reasoning; /* running text that so_far has told */
};

static void listening_free(struct tie *tie)
{
    struct listening *self = (struct listening *)tie;

    free(self->types);
    free(self);
}

struct listening *listening_new(struct exchange *x)
{
    struct listening *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    tie_init(&self->tie, x, listening_free);
    self->hub = app_of(x)->hub;
    self->turns = app_of(x)->turns;
    return self;
}

void listening_drop(struct listening *self, bool both)
{
    if (both)
        tie_unhold(&self->tie);
    tie_unhold(&self->tie);
}

void listening_pieces(struct listening *self)
{
    self->pieces = true;
}

/* ---- the source ---- */

/* Is the type in the list of the filter, itself or by its beginning? */
static bool wants(struct str list, struct str type)
{
    bool all = list.n == 0;

    while (list.n && !all) {
        const char *comma = memchr(list.p, ',', list.n);
        struct str name = {list.p, comma ? (size_t)(comma - list.p) : list.n};

        all = str_eq(name, type) || (name.n && name.p[name.n - 1] == '.' && str_starts(type, name));
        list.p += name.n + (comma != NULL);
        list.n -= name.n + (comma != NULL);
    }
    return all;
}

/*
 * Adds what a running turn has said of its next message before this client listens. It is asked
 * once, on the loop, when the listener has caught up and running text begins to reach it: none is
 * lost in between, and what comes twice can be told by its place (drop_known).
 */
static void so_far(struct listening *self, struct buf *out)
{
    struct turn_piece pieces[TURN_PIECES];
    struct arena arena;
    size_t count;

    arena_init(&arena);
    count = turns_so_far(self->turns, self->filter.owner, self->filter.session, &arena, pieces);
    for (size_t i = 0; i < count; i++) {
        const struct delta *delta = &pieces[i].delta;

        if ((self->filter.turn.n && !str_eq(self->filter.turn, pieces[i].turn)) ||
            !wants(self->filter.types,
                   delta->kind == DELTA_ASK ? STR("turn.waiting") : STR(NATIVE_PIECE_TYPE)))
            continue;
        buf_add_str(out, native_piece_render(&pieces[i], &arena));
        if (delta->kind == DELTA_ASK)
            continue;
        self->known_step = pieces[i].step;
        if (delta->kind == DELTA_TEXT)
            self->known_text = (int64_t)delta->text.n;
        else
            self->known_reasoning = (int64_t)delta->text.n;
    }
    arena_clear(&arena);
}

static void start(void *context, struct stream *stream)
{
    struct listening *self = context;

    self->tie.stream = stream;
    self->tie.listener = hub_listen(self->hub, &self->filter, NULL, self->since, tie_notify, self);
    stream_wake(stream);
}

/* The text of the line that begins with `name`, which itself begins a line at or after `from`. */
static struct str line_after(const struct buf *out, size_t from, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = from; i + n <= out->n; i++) {
        const char *end;

        if ((i == from || out->p[i - 1] == '\n') && memcmp(out->p + i, name, n) == 0) {
            end = memchr(out->p + i, '\n', out->n - i);
            return (struct str){out->p + i + n,
                                end ? (size_t)(end - out->p) - i - n : out->n - i - n};
        }
        end = memchr(out->p + i, '\n', out->n - i);
        if (!end)
            break;
        i = (size_t)(end - out->p);
    }
    return STR_NONE;
}

/* The number behind a name in the data of an event. */
static bool number_after(struct str data, const char *name, int64_t *out)
{
    const char *at = memmem(data.p, data.n, name, strlen(name));
    int64_t value = 0;

    if (!at)
        return false;
    for (at += strlen(name); at < data.p + data.n && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0');
    *out = value;
    return true;
}

/* Is it running text that so_far has told? Its data is as native_piece_render writes it. */
static bool is_known(const struct listening *self, struct str event)
{
    static const char start[] = "event: " NATIVE_PIECE_TYPE "\n";
    int64_t step, offset;

    if (!str_starts(event, STR(start)) || !number_after(event, "\"step\":", &step))
        return false;
    if (step != self->known_step)
        return step < self->known_step;
    if (number_after(event, "\"kind\":\"text\",\"offset\":", &offset))
        return offset < self->known_text;
    return number_after(event, "\"kind\":\"reasoning\",\"offset\":", &offset) &&
           offset < self->known_reasoning;
}

/* Takes out of what was added the pieces that the client has already. */
static void drop_known(const struct listening *self, struct buf *out, size_t from)
{
    size_t at = from, to = from;

    if (!self->known_text && !self->known_reasoning)
        return;
    while (at < out->n) {
        const char *end = memmem(out->p + at, out->n - at, "\n\n", 2);
        size_t n = end ? (size_t)(end - out->p) + 2 - at : out->n - at;

        if (!is_known(self, (struct str){out->p + at, n})) {
            memmove(out->p + to, out->p + at, n);
            to += n;
        }
        at += n;
    }
    out->n = to;
    if (out->p)
        out->p[to] = '\0';
}

/* Adds the last event when the turn's end is among what was added; its data is that end's. */
static bool end_with_turn(const struct listening *self, struct buf *out, size_t from)
{
    struct str type = line_after(out, from, "event: turn.ended");
    struct buf last;
    struct str data;

    if (!type.p || !self->until_end)
        return false;
    data = line_after(out, (size_t)(type.p - out->p), "data: ");
    buf_init(&last, REPLY_BYTES); /* `out` may move while it grows */
    buf_add_text(&last, "event: done\ndata: ");
    buf_add_str(&last, data);
    buf_add_text(&last, "\n\n");
    buf_add_str(out, buf_str(&last));
    buf_clear(&last);
    return true;
}

/* The turn could not begin, or its end was missed. */
static void end_without(struct listening *self, struct buf *out)
{
    const struct fault *fault = self->tie.fault;
    struct json_out json;

    if (fault) {
        buf_add_text(out, "event: error\ndata: ");
        problem_add(out, fault);
        buf_add_text(out, "\n\n");
    }
    buf_add_text(out, "event: done\ndata: ");
    json_out_init(&json, out);
    json_out_object(&json, NULL);
    json_out_string(&json, "session", self->filter.session);
    json_out_object(&json, "turn");
    json_out_string(&json, "id", self->filter.turn);
    json_out_string(&json, "state", str_of(run_state_name(self->tie.state)));
    if (fault)
        json_out_string(&json, "reason", str_of(fault->message));
    json_out_object_end(&json);
    json_out_object_end(&json);
    buf_add_text(out, "\n\n");
}

/* What the hub has; behind it, once, what was said before. True when there is more. */
static bool take(struct listening *self, struct buf *out)
{
    size_t from = out->n;
    struct buf before;
    bool more = hub_take(self->tie.listener, out, STREAM_FILL);

    if (self->pieces && !more && hub_caught_up(self->tie.listener)) {
        self->pieces = false;
        buf_init(&before, REPLY_BYTES);
        so_far(self, &before);
        drop_known(self, out, from);
        buf_add_str(out, buf_str(&before));
        buf_clear(&before);
    } else {
        drop_known(self, out, from);
    }
    return more;
}

static enum stream_state pull(void *context, struct buf *out)
{
    struct listening *self = context;
    size_t from = out->n;
    bool more;

    do
        more = take(self, out);
    while (more && out->n == from);
    if (end_with_turn(self, out, from))
        return STREAM_END;
    self->missed = self->missed || line_after(out, from, "event: reset").p;
    if (more)
        return STREAM_MORE;
    if (self->tie.over && (self->tie.never || self->missed)) {
        end_without(self, out);
        return STREAM_END;
    }
    return STREAM_IDLE;
}

void listening_done(void *context, enum run_state state, const struct fault *fault)
{
    tie_done(context, state, fault);
}

static void filter_keep(struct listening *self, const struct hub_filter *filter)
{
    struct str types = filter->types;

    tie_name(&self->tie, filter->owner, filter->session, filter->turn);
    self->types = strndup(types.n ? types.p : "", types.n);
    if (!self->types)
        abort();
    self->filter = (struct hub_filter){.owner = filter->owner,
                                       .session = self->tie.session,
                                       .turn = self->tie.turn,
                                       .types = {self->types, types.n}};
}

void listening_stream(struct listening *self, struct exchange *x, const struct hub_filter *filter,
                      int64_t since, bool until_end)
{
    struct stream_source source = {
        .start = start, .pull = pull, .close = tie_close, .context = self};

    filter_keep(self, filter);
    self->since = since;
    self->until_end = until_end;
    exchange_stream(x, &source);
    if (until_end)
        tie_meet(&self->tie);
}
