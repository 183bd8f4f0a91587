/* The life of a session: paused, stopped, resumed, ended. */
#include "dialect/ash/wire.h"

struct step {
    const char *verb; /* "pause" */
    unsigned from;    /* statuses from which it goes, one bit each */
    enum ash_status to;
    bool stays; /* from `to` itself it is no step, and no fault */
};

enum { ALL = (1 << ASH_STATUS_COUNT) - 1 };

static const struct step pause_step = {"pause", 1 << ASH_ACTIVE, ASH_PAUSED, false};
static const struct step stop_step = {"stop", 1 << ASH_ACTIVE, ASH_STOPPED, false};
static const struct step resume_step = {"resume", 1 << ASH_PAUSED | 1 << ASH_STOPPED, ASH_ACTIVE,
                                        true};
static const struct step end_step = {"end", ALL, ASH_ENDED, true};

static enum fault_code change(void *context, const struct session *session, struct str now,
                              struct arena *arena, struct str *out, struct fault *fault)
{
    const struct step *step = context;
    enum ash_status status = ash_status_of(session);

    if (!(step->from & 1U << status)) {
        if (status == ASH_ENDED && step->to == ASH_ACTIVE)
            return fault_set(fault, FAULT_SESSION_ENDED,
                             "Session has ended — create a new session");
        return fault_set(fault, FAULT_INVALID, "Cannot %s session with status \"%s\"", step->verb,
                         ash_status_name(status));
    }
    *out = ash_life_write(now, step->to, "of", session->id, arena);
    return FAULT_OK;
}

/*
 * The status comes first: no message is taken any more when the turn is stopped. Whoever pauses,
 * stops or ends a session does not want it to go on.
 */
static enum fault_code take_step(struct exchange *x, const struct step *step, struct session *out,
                                 struct fault *fault)
{
    struct app *app = app_of(x);
    int64_t sees = x->request.caller.sees;
    struct session session;
    struct fault none;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = session;
    if (step->stays && ash_status_of(&session) == step->to)
        return FAULT_OK;
    if (settings_update(app, sees, session_of(x), ASH_SETTINGS, change, (void *)(uintptr_t)step,
                        &x->arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (step->to != ASH_ACTIVE && run_active(out->turn_state) &&
        turns_cancel(app->turns, sees, session_of(x), STR_NONE, &none) == FAULT_OK)
        return ash_session(x, out, fault);
    return FAULT_OK;
}

static enum fault_code step_reply(struct exchange *x, const struct step *step, struct fault *fault)
{
    struct session session;

    if (take_step(x, step, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return ash_reply_session(x, &session, fault);
}

enum fault_code ash_session_pause(struct exchange *x, struct fault *fault)
{
    return step_reply(x, &pause_step, fault);
}

enum fault_code ash_session_stop(struct exchange *x, struct fault *fault)
{
    return step_reply(x, &stop_step, fault);
}

enum fault_code ash_session_resume(struct exchange *x, struct fault *fault)
{
    return step_reply(x, &resume_step, fault);
}

/* The row stays. Other dialects know an ended session as one that is archived. */
enum fault_code ash_session_end(struct exchange *x, struct fault *fault)
{
    struct update_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    bool archived = true;
    struct session session;

    if (take_step(x, &end_step, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.archived = &archived;
    if (!session.archived &&
        engine_update(app_of(x)->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return ash_reply_session(x, &session, fault);
}
