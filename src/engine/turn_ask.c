/*
 * A turn that asks, and whoever answers.
 *
 *   1. That the turn waits is durable before anybody can see what it asks. What is asked can be
 *      answered before it is told: then nothing is waited for.
 *   2. The turn's thread waits for two descriptors, the cancel's and that of the ask, and holds no
 *      lock meanwhile. It keeps its directory: what it was about to do there is what is asked.
 *   3. A yes for more than this once is durable before the turn is told of it.
 */
#include "engine/seat.h"
#include "engine/turn.h"
#include "engine/turn_run.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { KEEP_TRIES = 50 /* to change settings that others change, too */ };

/* One ask, on the stack of the turn's thread; under the lock of the turn. */
struct asking {
    const struct question *question;
    int fd; /* readable when it is answered */
    bool answered;
    enum answer_verdict verdict;
    struct buf text;
};

struct delta turn_ask_delta(const struct question *question)
{
    return (struct delta){.kind = DELTA_ASK,
                          .id = question->id,
                          .name = question->name,
                          .text =
                              question->kind == ASK_TOOL ? question->arguments : question->text};
}

/* ---- settings ---- */

enum fault_code turn_read_settings(struct turn *turn, struct fault *fault)
{
    struct session session;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = store_session_get(engine_store(turn->turns->options.engine), turn->owner, turn->session,
                             false, &arena, &session, fault);
    if (code == FAULT_OK)
        code = agent_settings_read(session.settings, &turn->arena, &turn->call.settings, fault);
    if (turn->model.n)
        turn->call.settings.model = turn->model;
    if (turn->steps_max)
        turn->call.settings.steps_max = turn->steps_max;
    arena_clear(&arena);
    return code;
}

static enum fault_code apply_yes(struct agent_settings *settings, enum answer_verdict verdict,
                                 struct str tool, struct arena *arena, struct fault *fault)
{
    if (verdict == ANSWER_YES_SESSION)
        settings->approved = true;
    if (verdict == ANSWER_YES_TOOL)
        return agent_settings_allow(settings, tool, arena, fault);
    return FAULT_OK;
}

static enum fault_code keep_once(struct turns *turns, int64_t owner, struct str name,
                                 enum answer_verdict verdict, struct str tool, struct arena *arena,
                                 struct fault *fault)
{
    struct update_spec spec = {.owner = owner, .session = name};
    struct agent_settings settings;
    struct session session;
    struct str changed;

    if (store_session_get(engine_store(turns->options.engine), owner, name, false, arena, &session,
                          fault) != FAULT_OK ||
        agent_settings_read(session.settings, arena, &settings, fault) != FAULT_OK ||
        apply_yes(&settings, verdict, tool, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    changed = agent_settings_put(session.settings, &settings, arena);
    spec.settings = &changed;
    spec.expect_settings = &session.settings;
    return engine_update(turns->options.engine, &spec, arena, &session, fault);
}

/* Writes a yes for more than once into the session; nobody else's change is lost. */
static enum fault_code keep_yes(struct turns *turns, int64_t owner, struct str session,
                                enum answer_verdict verdict, struct str tool, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (int i = 0; i < KEEP_TRIES; i++) {
        struct arena arena;

        arena_init(&arena);
        code = keep_once(turns, owner, session, verdict, tool, &arena, fault);
        arena_clear(&arena);
        if (code != FAULT_HEAD_MOVED)
            return code;
    }
    return code;
}

/* ---- the turn's side ---- */

static void publish(struct turn *turn, struct asking *asking)
{
    pthread_mutex_lock(&turn->lock);
    turn->asking = asking;
    pthread_mutex_unlock(&turn->lock);
}

static enum fault_code set_state(struct turn *turn, enum run_state state, struct fault *fault)
{
    struct append_spec spec = {.owner = turn->owner,
                               .session = turn->session,
                               .run = {.act = RUN_GO_ON, .turn = turn->name, .state = state}};
    struct append_result result;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = engine_append(turn->turns->options.engine, &spec, NULL, 0, &arena, &result, fault);
    arena_clear(&arena);
    return code;
}

static void tell(struct turn *turn, const struct question *question)
{
    struct turn_piece piece = {.session = turn->session,
                               .turn = turn->name,
                               .delta = turn_ask_delta(question),
                               .step = turn->step};
    const struct watcher *watcher;
    struct arena arena;

    arena_init(&arena);
    turn_tell_piece(turn, &piece, &arena);
    arena_clear(&arena);
    /* Who holds the seat may still be sending. Watchers come in front, and go with the turn. */
    pthread_mutex_lock(&turn->seat->lock);
    watcher = turn->watchers;
    pthread_mutex_unlock(&turn->seat->lock);
    if (turn->asked)
        turn->asked(turn->context, question);
    for (; watcher; watcher = watcher->next)
        if (watcher->asked)
            watcher->asked(watcher->context, question);
}

/* Returns when there is an answer, or the turn is cancelled. */
static void wait_for_answer(const struct turn *turn, const struct asking *asking)
{
    struct pollfd fds[2] = {{.fd = asking->fd, .events = POLLIN},
                            {.fd = turn->cancel_fd, .events = POLLIN}};

    while (poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
}

static enum fault_code ask(struct turn *turn, struct asking *asking, struct fault *fault)
{
    if (set_state(turn, RUN_WAITING, fault) != FAULT_OK)
        return fault_pass(fault);
    publish(turn, asking);
    tell(turn, asking->question);
    wait_for_answer(turn, asking);
    if (turn_is_cancelled(turn))
        return fault_set(fault, FAULT_INTERRUPTED, "the turn was cancelled while it waited");
    return set_state(turn, RUN_RUNNING, fault);
}

/* What the settings say by now; true when nobody has to be asked. */
static enum fault_code look_again(struct turn *turn, const struct question *question,
                                  struct question_answer *out, bool *known, struct fault *fault)
{
    enum tool_verdict verdict;

    *known = false;
    if (question->kind != ASK_TOOL)
        return FAULT_OK;
    if (turn_read_settings(turn, fault) != FAULT_OK)
        return fault_pass(fault);
    verdict = agent_settings_judge(&turn->call.settings, question->name, false);
    *known = verdict != TOOL_ASK;
    *out = verdict == TOOL_REFUSE
               ? (struct question_answer){ANSWER_NO, STR("not allowed in this session")}
               : (struct question_answer){ANSWER_YES, STR_NONE};
    return FAULT_OK;
}

enum fault_code turn_ask(struct turn *turn, const struct question *question,
                         struct question_answer *out, struct fault *fault)
{
    struct asking asking = {.question = question};
    enum fault_code code;
    bool known;

    if (look_again(turn, question, out, &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (known)
        return FAULT_OK;
    asking.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (asking.fd < 0)
        return fault_set(fault, FAULT_TOO_MANY, "too many files are open to ask");
    buf_init(&asking.text, LIMIT_ANSWER_BYTES);
    code = turn_rest(turn->turns, fault);
    if (code == FAULT_OK) {
        code = ask(turn, &asking, fault);
        publish(turn, NULL);
        turn_resume(turn->turns);
    }
    if (code == FAULT_OK) {
        *out = (struct question_answer){asking.verdict,
                                        arena_dup(&turn->arena, buf_str(&asking.text))};
        if (question->kind == ASK_TOOL)
            code =
                apply_yes(&turn->call.settings, out->verdict, question->name, &turn->arena, fault);
    }
    buf_clear(&asking.text);
    close(asking.fd);
    return code;
}

/* ---- the other side ---- */

static struct question question_copy(const struct question *question, struct arena *arena)
{
    return (struct question){.kind = question->kind,
                             .id = arena_dup(arena, question->id),
                             .name = arena_dup(arena, question->name),
                             .arguments = arena_dup(arena, question->arguments),
                             .text = arena_dup(arena, question->text),
                             .schema = arena_dup(arena, question->schema)};
}

bool turn_asks(struct turn *turn, struct arena *arena, struct question *out)
{
    bool asks;

    pthread_mutex_lock(&turn->lock);
    asks = turn->asking && !turn->asking->answered;
    if (asks)
        *out = question_copy(turn->asking->question, arena);
    pthread_mutex_unlock(&turn->lock);
    return asks;
}

bool turns_asked(struct turns *turns, int64_t owner, struct str session, struct arena *arena,
                 struct question *out)
{
    struct turn *turn;
    bool asks;

    pthread_mutex_lock(&turns->lock);
    turn = turns_active(turns, owner, session);
    asks = turn && turn_asks(turn, arena, out);
    pthread_mutex_unlock(&turns->lock);
    return asks;
}

static bool give_answer(struct turn *turn, struct str id, const struct question_answer *answer)
{
    struct asking *asking;
    uint64_t one = 1;
    bool given;

    pthread_mutex_lock(&turn->lock);
    asking = turn->asking;
    given = asking && !asking->answered && (id.n == 0 || str_eq(id, asking->question->id));
    if (given) {
        asking->answered = true;
        asking->verdict = answer->verdict;
        buf_add_str(&asking->text, answer->text);
        if (write(asking->fd, &one, sizeof(one)) != sizeof(one))
            abort(); /* a counter of its own cannot be full */
    }
    pthread_mutex_unlock(&turn->lock);
    return given;
}

static enum fault_code asks_nothing(struct str session, struct str id, struct fault *fault)
{
    if (id.n)
        return fault_set(fault, FAULT_NO_TURN,
                         "no turn of session \"%.*s\" waits for an answer to \"%.*s\"",
                         STR_ARG(session), STR_ARG(id));
    return fault_set(fault, FAULT_NO_TURN, "no turn of session \"%.*s\" waits for an answer",
                     STR_ARG(session));
}

/* The session is there, and its turn waits for this; keeps the yes. */
static enum fault_code prepare(struct turns *turns, int64_t owner, struct str name, struct str id,
                               enum answer_verdict verdict, struct arena *arena,
                               struct fault *fault)
{
    struct question question;
    struct session session;

    if (store_session_get(engine_store(turns->options.engine), owner, name, false, arena, &session,
                          fault) != FAULT_OK)
        return fault_pass(fault);
    if (!turns_asked(turns, owner, name, arena, &question) || (id.n && !str_eq(id, question.id)))
        return asks_nothing(name, id, fault);
    if (question.kind != ASK_TOOL || (verdict != ANSWER_YES_TOOL && verdict != ANSWER_YES_SESSION))
        return FAULT_OK;
    return keep_yes(turns, owner, name, verdict, question.name, fault);
}

enum fault_code turns_answer(struct turns *turns, int64_t owner, struct str session, struct str id,
                             const struct question_answer *answer, struct fault *fault)
{
    struct turn *turn;
    struct arena arena;
    enum fault_code code;
    bool given;

    if (answer->text.n > LIMIT_ANSWER_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the answer has %zu bytes; the limit is %d",
                         answer->text.n, LIMIT_ANSWER_BYTES);
    arena_init(&arena);
    code = prepare(turns, owner, session, id, answer->verdict, &arena, fault);
    arena_clear(&arena);
    if (code != FAULT_OK)
        return code;
    pthread_mutex_lock(&turns->lock);
    turn = turns_active(turns, owner, session);
    given = turn && give_answer(turn, id, answer);
    pthread_mutex_unlock(&turns->lock);
    return given ? FAULT_OK : asks_nothing(session, id, fault);
}
