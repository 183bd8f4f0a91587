/*
 * A feed is a listener of the hub, in the words of its voice, as the source of a stream that is
 * tied to a turn.
 */
#include "dialect/feed.h"

#include "dialect/once_reply.h"
#include "dialect/tie.h"
#include "dialect/turn_ending.h"

#include <stdlib.h>

struct feed {
    struct tie tie;
    struct hub *hub; /* NULL: nothing but `first` */
    struct turns *turns;
    struct feed_voice voice;
    int64_t since;
    struct buf first; /* to be sent before anything else */
    /* on the loop, once the stream has begun */
    bool caught_up;                /* what was said before this client listened has been told */
    bool ended;                    /* nothing more is told */
    bool missed;                   /* events were cleared away before they were read */
    int64_t step, text, reasoning; /* running text that was told: bytes of that step */
    int64_t torn;                  /* a step of which nobody has what is missing; -1: none */
    struct buf asked;              /* id of the ask that was told last, until the next entry */
};

/* ---- who holds it ---- */

static void feed_free(struct tie *tie)
{
    struct feed *self = (struct feed *)tie;

    buf_clear(&self->first);
    buf_clear(&self->asked);
    free(self);
}

static struct feed *feed_new(struct exchange *x, const struct feed_voice *voice)
{
    struct feed *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    tie_init(&self->tie, x, feed_free);
    self->hub = app_of(x)->hub;
    self->turns = app_of(x)->turns;
    if (voice)
        self->voice = *voice;
    self->step = self->torn = -1;
    buf_init(&self->first, REPLY_BYTES);
    buf_init(&self->asked, LIMIT_ENTRY_BYTES);
    return self;
}

/* The voice is not needed any more, also when the turn still holds the rest. */
static void hush(struct feed *self)
{
    if (self->voice.free)
        self->voice.free(self->voice.context);
    self->voice = (struct feed_voice){0};
}

/* Before it has a stream. */
static void drop(struct feed *self)
{
    hush(self);
    tie_unhold(&self->tie);
    tie_unhold(&self->tie);
}

/* ---- what is told ---- */

static void look_enough(struct feed *self)
{
    if (self->voice.enough && self->voice.enough(self->voice.context))
        self->ended = true;
}

static void tell_begin(struct feed *self, const struct turn_begun *begun, struct buf *out)
{
    self->voice.begin(self->voice.context, begun, out);
    look_enough(self);
}

static void tell_piece(struct feed *self, const struct turn_piece *piece, struct buf *out)
{
    if (self->ended)
        return;
    self->voice.piece(self->voice.context, piece, out);
    look_enough(self);
}

static void tell_entry(struct feed *self, const struct entry *entry, struct buf *out)
{
    if (self->ended)
        return;
    buf_reset(&self->asked);
    self->voice.entry(self->voice.context, entry, out);
    look_enough(self);
}

static void tell_end(struct feed *self, enum run_state state, struct str reason, struct buf *out)
{
    if (self->ended)
        return;
    self->ended = true;
    self->voice.end(self->voice.context, state, reason, out);
}

/*
 * Tells of a piece of text what was not told yet. False when something is missing before it. A
 * piece of a step that is behind comes too late.
 */
static bool tell_text(struct feed *self, const struct turn_piece *piece, struct buf *out)
{
    struct turn_piece rest = *piece;
    int64_t *told = piece->delta.kind == DELTA_TEXT ? &self->text : &self->reasoning;
    int64_t end = piece->offset + (int64_t)piece->delta.text.n;

    if (piece->step < self->step)
        return true;
    if (piece->step > self->step) {
        self->step = piece->step;
        self->text = self->reasoning = 0;
    }
    if (piece->offset > *told)
        return false;
    if (end <= *told)
        return true;
    rest.offset = *told;
    rest.delta.text.p += *told - piece->offset;
    rest.delta.text.n = (size_t)(end - *told);
    *told = end;
    tell_piece(self, &rest, out);
    return true;
}

/* One who comes late is told of an ask by what was said so far, and perhaps by the hub, too. */
static void tell_ask(struct feed *self, const struct turn_piece *piece, struct buf *out)
{
    if (self->asked.n && str_eq(buf_str(&self->asked), piece->delta.id))
        return;
    buf_reset(&self->asked);
    buf_add_str(&self->asked, piece->delta.id);
    tell_piece(self, piece, out);
}

/* What the turn has said of its next message, as far as it was not told. */
static void tell_so_far(struct feed *self, struct buf *out)
{
    struct turn_piece pieces[TURN_PIECES];
    struct arena arena;
    size_t count;

    arena_init(&arena);
    count = turns_so_far(self->turns, self->tie.owner, self->tie.session, &arena, pieces);
    for (size_t i = 0; i < count; i++) {
        if (!str_eq(self->tie.turn, pieces[i].turn))
            continue;
        if (pieces[i].delta.kind == DELTA_ASK)
            tell_ask(self, &pieces[i], out);
        else
            tell_text(self, &pieces[i], out);
    }
    arena_clear(&arena);
}

/* ---- what the hub tells ---- */

/*
 * Something is missing before the piece. What was said so far has that, and the piece, too, unless
 * the entry is on the way or the text is too long to be kept: then it is not asked for again with
 * every further piece.
 */
static void mend(struct feed *self, const struct turn_piece *piece, struct buf *out)
{
    tell_so_far(self, out);
    if (self->step == piece->step && !tell_text(self, piece, out))
        self->torn = piece->step;
}

static void hear_piece(void *context, const struct turn_piece *piece, struct buf *out)
{
    struct feed *self = context;
    enum delta_kind kind = piece->delta.kind;

    if (self->ended || !str_eq(piece->turn, self->tie.turn))
        return;
    if (kind == DELTA_ASK)
        tell_ask(self, piece, out);
    else if (kind != DELTA_TEXT && kind != DELTA_REASONING)
        tell_piece(self, piece, out);
    else if (self->torn < piece->step && !tell_text(self, piece, out))
        mend(self, piece, out);
}

static void hear_note(struct feed *self, const struct note *note, struct buf *out)
{
    struct turn_ending ending;

    if (note->act == NOTE_DELETED) {
        tell_end(self, RUN_CANCELLED, STR("the session was deleted"), out);
    } else if (note->act == NOTE_TURN_ENDED && str_eq(note->message, self->tie.turn)) {
        ending = turn_ending_of(note);
        tell_end(self, ending.state, ending.reason, out);
    }
}

static void hear_event(void *context, const struct event *event, struct buf *out)
{
    struct feed *self = context;

    if (event->item.note)
        hear_note(self, event->item.note, out);
    else if (!event->item.entry)
        self->missed = true;
    else if (str_eq(event->item.entry->turn, self->tie.turn))
        tell_entry(self, event->item.entry, out);
}

/* ---- the source ---- */

/* The session's events and not just the turn's: that the session is gone is one, too. */
static void start(void *context, struct stream *stream)
{
    struct feed *self = context;
    struct hub_filter filter = {.owner = self->tie.owner, .session = self->tie.session};
    struct hub_voice voice = {.event = hear_event, .piece = hear_piece, .context = self};

    self->tie.stream = stream;
    if (self->hub)
        self->tie.listener = hub_listen(self->hub, &filter, &voice, self->since, tie_notify, self);
    stream_wake(stream);
}

static enum stream_state pull(void *context, struct buf *out)
{
    struct feed *self = context;
    bool more;

    if (self->first.n) {
        buf_add_str(out, buf_str(&self->first));
        buf_clear(&self->first);
        return self->hub ? STREAM_MORE : STREAM_END;
    }
    if (!self->hub)
        return STREAM_END;
    more = hub_take(self->tie.listener, out, STREAM_FILL);
    if (!more && !self->ended && !self->caught_up && hub_caught_up(self->tie.listener)) {
        self->caught_up = true; /* running text reaches it from now on: none is lost between */
        tell_so_far(self, out);
    }
    if (!more && self->tie.over && (self->tie.never || self->missed))
        tell_end(self, self->tie.state,
                 self->tie.fault ? str_of(self->tie.fault->message) : STR_NONE, out);
    if (self->ended)
        return STREAM_END;
    return more ? STREAM_MORE : STREAM_IDLE;
}

static void close_stream(void *context)
{
    hush(context);
    tie_close(context);
}

static void stream_over(struct feed *self, struct exchange *x)
{
    struct stream_source source = {
        .start = start, .pull = pull, .close = close_stream, .context = self};

    exchange_stream(x, &source);
}

/* ---- a turn that is over, or that another process runs ---- */

struct replay {
    struct feed *self;
    struct buf *out;
};

static enum fault_code replay_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct replay *replay = context;

    tell_entry(replay->self, entry, replay->out);
    return replay->self->ended ? visit_enough(fault) : FAULT_OK;
}

/* Begin, entries when they are wanted, end: all there is. */
static enum fault_code stream_past(struct feed *self, struct exchange *x,
                                   const struct turn_begun *begun, const struct turn_ending *ending,
                                   bool entries, struct fault *fault)
{
    struct replay replay = {self, &self->first};
    enum fault_code code = FAULT_OK;

    self->hub = NULL;
    tell_begin(self, begun, &self->first);
    if (entries && !self->ended)
        code = store_turn(self->tie.store, self->tie.owner, self->tie.session, self->tie.turn,
                          replay_entry, &replay, fault);
    if (code && code != FAULT_INTERRUPTED) {
        drop(self);
        return code;
    }
    tell_end(self, ending->state, ending->reason, &self->first);
    if (self->first.full) {
        drop(self);
        return fault_set(fault, FAULT_TOO_LARGE, "the turn has more than %d bytes", REPLY_BYTES);
    }
    tie_unhold(&self->tie); /* no turn has it */
    stream_over(self, x);
    return FAULT_OK;
}

/* No turn of this process. One that another process runs ends by its event alone. */
static enum fault_code stream_other(struct feed *self, struct exchange *x, struct turn_begun *begun,
                                    bool entries, struct fault *fault)
{
    struct turn_ending ending;

    if (hub_now(self->hub, &self->since, fault) != FAULT_OK ||
        turn_ending_find(self->tie.store, self->tie.owner, self->tie.session, self->tie.turn,
                         &x->arena, &ending, fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    begun->state = ending.state;
    begun->over = !run_active(ending.state);
    if (begun->over)
        return stream_past(self, x, begun, &ending, entries, fault);
    begun->e = self->since;
    tell_begin(self, begun, &self->first);
    tie_unhold(&self->tie);
    stream_over(self, x);
    return FAULT_OK;
}

/* ---- both ways in ---- */

/* The turn has `done`: its stream. */
static void stream_turn(struct feed *self, struct exchange *x, const struct turn_begun *begun)
{
    self->since = begun->e;
    tell_begin(self, begun, &self->first);
    if (self->ended)
        self->hub = NULL;
    stream_over(self, x);
    tie_meet(&self->tie);
}

void feed_count(struct exchange *x, const struct turn_cmd *cmd, const struct turn_begun *begun)
{
    struct app_counts *counts = &app_of(x)->counts;

    if (begun->joined) {
        once_say(x);
        atomic_fetch_add(&counts->replays, 1);
    } else {
        atomic_fetch_add(&counts->messages, (long long)cmd->count);
    }
}

enum fault_code feed_send(struct exchange *x, struct turn_cmd *cmd, const struct feed_voice *voice,
                          struct fault *fault)
{
    struct feed *self = feed_new(x, voice);
    struct turn_begun begun;

    cmd->asked = NULL;
    if (turns_send(self->turns, cmd, &x->arena, &begun, tie_done, self, fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    feed_count(x, cmd, &begun);
    tie_name(&self->tie, cmd->owner, cmd->session, begun.turn);
    if (begun.over)
        return stream_other(self, x, &begun, true, fault);
    stream_turn(self, x, &begun);
    return FAULT_OK;
}

enum fault_code feed_join(struct exchange *x, int64_t owner, struct str session, struct str turn,
                          const struct feed_voice *voice, struct fault *fault)
{
    struct feed *self = feed_new(x, voice);
    struct turn_watch_cmd cmd = {
        .owner = owner, .session = session, .turn = turn, .done = tie_done, .context = self};
    struct turn_begun begun;

    if (turns_join(self->turns, &cmd, &x->arena, &begun, fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    tie_name(&self->tie, owner, session, turn);
    if (begun.over)
        return stream_other(self, x, &begun, false, fault);
    stream_turn(self, x, &begun);
    return FAULT_OK;
}

void feed_fixed(struct exchange *x, struct buf *bytes)
{
    struct feed *self = feed_new(x, NULL);

    self->hub = NULL;
    self->first = *bytes;
    tie_unhold(&self->tie);
    stream_over(self, x);
}
