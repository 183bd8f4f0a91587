/*
 * A feed is a listener of the hub, in the words of its voice, as the source of a stream. Made by a
 * handler, then on the loop; the end of the turn reaches it from the turn's thread, so it counts
 * who holds it: the stream and the turn.
 *
 * Usually the hub tells the end. What ends a stream otherwise: a turn that could not begin leaves
 * no event, so the turn's thread says so (`never`); and a listener that has missed events may have
 * missed the end (`missed`).
 */
#include "dialect/feed.h"

#include "dialect/once_reply.h"
#include "dialect/turn_ending.h"

#include <pthread.h>
#include <stdlib.h>

struct feed {
    atomic_int holders;
    struct hub *hub; /* NULL: nothing but `first` */
    struct store *store;
    struct turns *turns;
    struct server *server;
    struct feed_voice voice;
    int64_t owner;
    struct str session, turn; /* in `names` */
    char *names;
    int64_t since;
    struct buf first; /* to be sent before anything else */
    /* on the loop, once the stream has begun */
    struct stream *stream;
    struct hub_listener *listener;
    bool caught_up;                /* what was said before this client listened has been told */
    bool ended;                    /* nothing more is told */
    bool over;                     /* the turn has ended; its event may still be on the way */
    bool missed;                   /* events were cleared away before they were read */
    int64_t step, text, reasoning; /* running text that was told: bytes of that step */
    int64_t torn;                  /* a step of which nobody has what is missing; -1: none */
    struct buf asked;              /* id of the ask that was told last, until the next entry */
    /* how the turn ended; written before `over` */
    atomic_bool one_was_here; /* the handler or the turn's thread; see meet */
    bool never;               /* it could not begin, or its session is gone: no event comes */
    enum run_state state;
    struct fault *fault; /* NULL: it did not fail. Apart, because most never need one */
    pthread_mutex_t lock;
    bool closed; /* under `lock`: the stream is gone, and perhaps the server */
};

/* ---- who holds it ---- */

static struct feed *feed_new(struct exchange *x, const struct feed_voice *voice)
{
    struct feed *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    atomic_init(&self->holders, 2);
    self->hub = app_of(x)->hub;
    self->store = app_of(x)->store;
    self->turns = app_of(x)->turns;
    self->server = exchange_server(x);
    if (voice)
        self->voice = *voice;
    self->step = self->torn = -1;
    buf_init(&self->first, REPLY_BYTES);
    buf_init(&self->asked, LIMIT_ENTRY_BYTES);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void unhold(struct feed *self)
{
    if (atomic_fetch_sub(&self->holders, 1) > 1)
        return;
    buf_clear(&self->first);
    buf_clear(&self->asked);
    pthread_mutex_destroy(&self->lock);
    free(self->names);
    free(self->fault);
    free(self);
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
    unhold(self);
    unhold(self);
}

static struct str name_keep(char **at, struct str name)
{
    struct str kept = {*at, name.n};

    if (name.n)
        memcpy(*at, name.p, name.n);
    *at += name.n;
    return kept;
}

static void names_keep(struct feed *self, struct str session, struct str turn)
{
    char *at = malloc(session.n + turn.n + 1);

    if (!at)
        abort();
    self->names = at;
    self->session = name_keep(&at, session);
    self->turn = name_keep(&at, turn);
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
    count = turns_so_far(self->turns, self->owner, self->session, &arena, pieces);
    for (size_t i = 0; i < count; i++) {
        if (!str_eq(self->turn, pieces[i].turn))
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

    if (self->ended || !str_eq(piece->turn, self->turn))
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
    } else if (note->act == NOTE_TURN_ENDED && str_eq(note->message, self->turn)) {
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
    else if (str_eq(event->item.entry->turn, self->turn))
        tell_entry(self, event->item.entry, out);
}

/* ---- the source ---- */

static void notify(void *context)
{
    struct feed *self = context;

    stream_wake(self->stream);
}

/* The session's events and not just the turn's: that the session is gone is one, too. */
static void start(void *context, struct stream *stream)
{
    struct feed *self = context;
    struct hub_filter filter = {.owner = self->owner, .session = self->session};
    struct hub_voice voice = {.event = hear_event, .piece = hear_piece, .context = self};

    self->stream = stream;
    if (self->hub)
        self->listener = hub_listen(self->hub, &filter, &voice, self->since, notify, self);
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
    more = hub_take(self->listener, out, STREAM_FILL);
    if (!more && !self->ended && !self->caught_up && hub_caught_up(self->listener)) {
        self->caught_up = true; /* running text reaches it from now on: none is lost between */
        tell_so_far(self, out);
    }
    if (!more && self->over && (self->never || self->missed))
        tell_end(self, self->state, self->fault ? str_of(self->fault->message) : STR_NONE, out);
    if (self->ended)
        return STREAM_END;
    return more ? STREAM_MORE : STREAM_IDLE;
}

static void close_stream(void *context)
{
    struct feed *self = context;

    if (self->listener)
        hub_leave(self->listener);
    self->listener = NULL;
    self->stream = NULL;
    hush(self);
    pthread_mutex_lock(&self->lock);
    self->closed = true;
    pthread_mutex_unlock(&self->lock);
    unhold(self);
}

static void stream_over(struct feed *self, struct exchange *x)
{
    struct stream_source source = {
        .start = start, .pull = pull, .close = close_stream, .context = self};

    exchange_stream(x, &source);
}

/* ---- the end of the turn ---- */

static void hear_over(void *context)
{
    struct feed *self = context;

    self->over = true;
    if (self->stream)
        stream_wake(self->stream);
    unhold(self);
}

static enum fault_code look(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)entry;
    return visit_enough(fault);
}

/*
 * The handler knows the turn's name, the turn's thread knows how it ended; the second one of the
 * two goes on. While the stream is there the server is, too: a turn may outlive both.
 */
static void meet(struct feed *self)
{
    struct fault fault;
    enum fault_code code;

    if (!atomic_exchange(&self->one_was_here, true))
        return;
    code = store_turn(self->store, self->owner, self->session, self->turn, look, NULL, &fault);
    self->never = code != FAULT_OK && code != FAULT_INTERRUPTED; /* or it is gone, or unreadable */
    pthread_mutex_lock(&self->lock);
    if (!self->closed) {
        atomic_fetch_add(&self->holders, 1);
        server_post(self->server, hear_over, self);
    }
    pthread_mutex_unlock(&self->lock);
    unhold(self);
}

static void done(void *context, enum run_state state, const struct fault *fault)
{
    struct feed *self = context;

    self->state = state;
    if (fault && fault->code) {
        self->fault = malloc(sizeof(*fault));
        if (!self->fault)
            abort();
        *self->fault = *fault;
    }
    meet(self);
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
        code = store_turn(self->store, self->owner, self->session, self->turn, replay_entry,
                          &replay, fault);
    if (code && code != FAULT_INTERRUPTED) {
        drop(self);
        return code;
    }
    tell_end(self, ending->state, ending->reason, &self->first);
    if (self->first.full) {
        drop(self);
        return fault_set(fault, FAULT_TOO_LARGE, "the turn has more than %d bytes", REPLY_BYTES);
    }
    unhold(self); /* no turn has it */
    stream_over(self, x);
    return FAULT_OK;
}

/* No turn of this process. One that another process runs ends by its event alone. */
static enum fault_code stream_other(struct feed *self, struct exchange *x, struct turn_begun *begun,
                                    bool entries, struct fault *fault)
{
    struct turn_ending ending;

    if (hub_now(self->hub, &self->since, fault) != FAULT_OK ||
        turn_ending_find(self->store, self->owner, self->session, self->turn, &x->arena, &ending,
                         fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    begun->state = ending.state;
    begun->over = !run_active(ending.state);
    if (begun->over)
        return stream_past(self, x, begun, &ending, entries, fault);
    begun->e = self->since;
    tell_begin(self, begun, &self->first);
    unhold(self);
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
    meet(self);
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

    self->owner = cmd->owner;
    cmd->asked = NULL;
    if (turns_send(self->turns, cmd, &x->arena, &begun, done, self, fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    feed_count(x, cmd, &begun);
    names_keep(self, cmd->session, begun.turn);
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
        .owner = owner, .session = session, .turn = turn, .done = done, .context = self};
    struct turn_begun begun;

    self->owner = owner;
    if (turns_join(self->turns, &cmd, &x->arena, &begun, fault) != FAULT_OK) {
        drop(self);
        return fault_pass(fault);
    }
    names_keep(self, session, turn);
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
    unhold(self);
    stream_over(self, x);
}
