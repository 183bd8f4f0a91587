/* message/send and message/stream: a message is a turn, and its context a session. */
#include "dialect/a2a/rpc.h"
#include "dialect/a2a/voice.h"
#include "dialect/feed.h"
#include "dialect/member.h"
#include "dialect/tasks.h"

#include "base/utf8.h"
#include "message/message_in.h"

enum { TITLE_BYTES = 60 }; /* of a session that is named by its first message */

/* What is sent, and what its answer needs. */
struct sending {
    struct rpc *rpc;
    struct a2a_send send;
    struct session session;
    int64_t owner;
};

/* ---- the message as an entry ---- */

/* The parts in tine's words, and beside them the message as it came. */
static enum fault_code entry_read(struct sending *sending, struct entry_spec **out,
                                  struct fault *fault)
{
    const struct a2a_send *send = &sending->send;
    struct arena *arena = &sending->rpc->x->arena;
    struct message_batch batch;
    struct str text = arena_printf(
        arena, "{\"role\":\"user\",\"parts\":%.*s,\"metadata\":{\"a2a\":{\"message\":%.*s}}}",
        STR_ARG(send->parts), STR_ARG(send->message.raw));

    if (message_read(text, arena, &batch, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = batch.entries;
    return FAULT_OK;
}

/* ---- the context ---- */

/* Its first line; a title has no control characters, and a message may. */
static struct str title_of(struct str text, struct arena *arena)
{
    size_t n = 0;
    char *title;

    while (n < text.n && text.p[n] != '\n' && text.p[n] != '\r')
        n++;
    text = utf8_cut((struct str){text.p, n}, TITLE_BYTES);
    title = arena_alloc(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        title[i] = (unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f ? ' ' : text.p[i];
    return (struct str){title, text.n};
}

static enum fault_code context_new(struct sending *sending, struct fault *fault)
{
    struct rpc *rpc = sending->rpc;
    struct app *app = app_of(rpc->x);
    struct create_spec spec = {
        .owner = rpc->owner,
        .id = sending->send.context,
        .title = title_of(sending->send.text, &rpc->x->arena),
        .agent = rpc->agent,
        .home = STR("a2a"),
    };
    enum fault_code code;

    sending->owner = rpc->owner;
    code = engine_create(app->engine, &spec, &rpc->x->arena, &sending->session, fault);
    if (code == FAULT_OK)
        atomic_fetch_add(&app->counts.sessions, 1);
    if (code != FAULT_EXISTS)
        return code;
    return rpc_session(rpc, sending->send.context, &sending->session, &sending->owner, fault);
}

/* The session that is named, or a new one: of the agent that the message is for. */
static enum fault_code context_find(struct sending *sending, struct fault *fault)
{
    struct rpc *rpc = sending->rpc;
    enum fault_code code = FAULT_SESSION_NOT_FOUND;

    if (sending->send.context.n)
        code = rpc_session(rpc, sending->send.context, &sending->session, &sending->owner, fault);
    if (code == FAULT_SESSION_NOT_FOUND)
        code = context_new(sending, fault);
    if (code != FAULT_OK)
        return code;
    if (!str_eq(sending->session.agent, rpc->agent))
        return rpc_refuse(rpc, ERROR_PARAMS, fault,
                          "contextId \"%.*s\" is a session of agent \"%.*s\", not of \"%.*s\"",
                          STR_ARG(sending->session.id), STR_ARG(sending->session.agent),
                          STR_ARG(rpc->agent));
    return FAULT_OK;
}

/* An agent that somebody else runs is refused before a session is made for it. */
static enum fault_code agent_runs(struct rpc *rpc, struct fault *fault)
{
    struct agent *agent;

    if (agents_take(app_of(rpc->x)->agents, rpc->agent, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    agents_give(app_of(rpc->x)->agents, agent);
    return FAULT_OK;
}

/* ---- the answer ---- */

static enum fault_code answer_task(struct rpc *rpc, int64_t owner, struct str session,
                                   struct str turn, int64_t history, struct fault *fault)
{
    struct arena *arena = &rpc->x->arena;
    struct str task;

    if (tasks_get(app_of(rpc->x), owner, voice_task_id(session, turn, arena), history, arena, &task,
                  NULL, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    return rpc_reply_task(rpc, task, fault);
}

/* A feed_answer: the turn has ended, or waits. */
static enum fault_code answer_done(struct exchange *x, void *context, struct str turn,
                                   enum run_state state, struct str reason, struct fault *fault)
{
    struct sending *sending = context;

    (void)x;
    (void)state;
    (void)reason;
    if (answer_task(sending->rpc, sending->owner, sending->session.id, turn, sending->send.history,
                    fault) == FAULT_OK)
        return FAULT_OK;
    return rpc_answer_fault(sending->rpc, fault);
}

static enum fault_code send_now(struct sending *sending, struct turn_cmd *cmd, struct fault *fault)
{
    struct exchange *x = sending->rpc->x;
    struct turn_begun begun;

    if (turns_send(app_of(x)->turns, cmd, &x->arena, &begun, NULL, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    feed_count(x, cmd, &begun);
    return answer_task(sending->rpc, sending->owner, sending->session.id, begun.turn,
                       sending->send.history, fault);
}

static enum fault_code send_new(struct sending *sending, struct fault *fault)
{
    struct rpc *rpc = sending->rpc;
    struct turn_cmd cmd = {.count = 1, .busy = TURN_REFUSE};
    struct feed_voice voice;

    if (agent_runs(rpc, fault) != FAULT_OK ||
        entry_read(sending, &cmd.entries, fault) != FAULT_OK ||
        context_find(sending, fault) != FAULT_OK)
        return fault_pass(fault);
    cmd.owner = sending->owner;
    cmd.session = sending->session.id;
    if (rpc->method == METHOD_STREAM) {
        voice = voice_new(rpc, sending->owner, &sending->session);
        return feed_send(rpc->x, &cmd, &voice, fault);
    }
    if (sending->send.now)
        return send_now(sending, &cmd, fault);
    return feed_wait(rpc->x, &cmd, true, answer_done, sending, fault);
}

/* ---- a task that waits ---- */

static bool is_one_of(struct str word, const char *const *words)
{
    for (; *words; words++)
        if (word.n == strlen(*words) && strncasecmp(word.p, *words, word.n) == 0)
            return true;
    return false;
}

/* May the tool be run? As data, or as a word. */
static bool verdict_read(const struct a2a_send *send, struct arena *arena, enum answer_verdict *out)
{
    static const char *const yes[] = {"yes", "y", "ok", "approve", "approved", "true", NULL};
    static const char *const no[] = {"no",   "n",      "reject", "rejected",
                                     "deny", "denied", "false",  NULL};
    struct str word = STR_NONE;

    if (send->decision.type) {
        word = member_string(&send->decision, "decision", arena);
        if (word.n == 0)
            word = member_string(&send->decision, "decision_type", arena);
    }
    if (word.n == 0)
        word = send->text;
    while (word.n && strchr(" \t\r\n.!", word.p[word.n - 1]))
        word.n--;
    *out = is_one_of(word, yes) ? ANSWER_YES : ANSWER_NO;
    return *out == ANSWER_YES || is_one_of(word, no);
}

static enum fault_code answer_read(struct sending *sending, const struct question *question,
                                   struct question_answer *out, struct fault *fault)
{
    const struct a2a_send *send = &sending->send;
    struct arena *arena = &sending->rpc->x->arena;
    enum answer_verdict verdict = ANSWER_YES;

    *out = (struct question_answer){.text = send->text};
    if (question->kind == ASK_TOOL && !verdict_read(send, arena, &verdict))
        return rpc_refuse(sending->rpc, ERROR_PARAMS, fault,
                          "the task waits for a yes or a no to the tool \"%.*s\": a data part "
                          "{\"decision\":\"approve\"} or {\"decision\":\"reject\"}, or \"yes\" or "
                          "\"no\" as text",
                          STR_ARG(question->name));
    out->verdict = verdict;
    if (question->kind == ASK_INPUT && send->text.n == 0 && send->decision.type)
        out->text = send->decision.raw;
    return FAULT_OK;
}

static enum fault_code task_waits(struct sending *sending, const struct rpc_task *task,
                                  struct question *question, struct fault *fault)
{
    struct rpc *rpc = sending->rpc;

    if (!task->turn.n)
        return rpc_refuse(rpc, ERROR_UNSUPPORTED, fault,
                          "task \"%.*s\" is run by somebody else, or has ended", STR_ARG(task->id));
    if (!rpc_task_active(task))
        return rpc_refuse(rpc, ERROR_UNSUPPORTED, fault,
                          "task \"%.*s\" has ended; send without taskId to go on in its context",
                          STR_ARG(task->id));
    if (!turns_asked(app_of(rpc->x)->turns, task->owner, task->session.id, &rpc->x->arena,
                     question))
        return rpc_refuse(rpc, ERROR_UNSUPPORTED, fault,
                          "task \"%.*s\" is being worked on and waits for nothing",
                          STR_ARG(task->id));
    return FAULT_OK;
}

/* The task goes on with the answer. */
static enum fault_code send_answer(struct sending *sending, struct fault *fault)
{
    struct rpc *rpc = sending->rpc;
    struct turns *turns = app_of(rpc->x)->turns;
    struct question_answer answer;
    struct question question;
    struct feed_voice voice;
    struct rpc_task task;

    if (rpc_task(rpc, sending->send.task, 0, &task, fault) != FAULT_OK ||
        task_waits(sending, &task, &question, fault) != FAULT_OK ||
        answer_read(sending, &question, &answer, fault) != FAULT_OK ||
        turns_answer(turns, task.owner, task.session.id, question.id, &answer, fault) != FAULT_OK)
        return fault_pass(fault);
    sending->owner = task.owner;
    sending->session = task.session;
    if (rpc->method == METHOD_STREAM) {
        voice = voice_late(rpc, &task);
        return feed_join(rpc->x, task.owner, task.session.id, task.turn, &voice, fault);
    }
    if (sending->send.now)
        return answer_task(rpc, task.owner, task.session.id, task.turn, sending->send.history,
                           fault);
    return feed_wait_on(rpc->x, task.owner, task.session.id, task.turn, answer_done, sending,
                        fault);
}

enum fault_code rpc_send(struct rpc *rpc, struct fault *fault)
{
    struct sending *sending = arena_alloc(&rpc->x->arena, sizeof(*sending));

    sending->rpc = rpc;
    if (rpc->codec->read_send(&rpc->params, &rpc->x->arena, &sending->send, &rpc->error, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    rpc->error = 0;
    if (sending->send.rewinds)
        return rpc_rewind(rpc, &sending->send, fault);
    if (caller_may(rpc->x, RIGHT_RUN, "let agents answer", fault) != FAULT_OK)
        return fault_pass(fault);
    return sending->send.task.n ? send_answer(sending, fault) : send_new(sending, fault);
}
