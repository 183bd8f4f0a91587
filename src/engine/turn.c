#include "engine/turn.h"

#include "engine/rules.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    DRAFT_MAX = LIMIT_ENTRY_BYTES / 4 /* text of one message that is kept as a draft */
};

enum fault_code turn_new(struct turns *turns, const struct turn_cmd *cmd, int64_t owner,
                         struct agent *agent, struct turn **out, struct fault *fault)
{
    struct id id = engine_draw_id(turns->options.engine);
    struct turn *turn = calloc(1, sizeof(*turn));
    char name[ID_TEXT + 1];

    if (!turn)
        abort();
    turn->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (turn->cancel_fd < 0) {
        free(turn);
        return fault_set(fault, FAULT_TOO_MANY, "too many files are open to run a turn");
    }
    turn->turns = turns;
    turn->agent = agent;
    turn->owner = owner;
    arena_init(&turn->arena);
    pthread_mutex_init(&turn->lock, NULL);
    buf_init(&turn->text, DRAFT_MAX);
    buf_init(&turn->reasoning, DRAFT_MAX);
    id_format(&id, name);
    turn->name = arena_dup(&turn->arena, str_of(name));
    turn->session = arena_dup(&turn->arena, cmd->session);
    turn->model = arena_dup(&turn->arena, cmd->model);
    turn->steps_max = cmd->steps_max;
    turn->call = (struct agent_call){.ops = &turn_call_ops,
                                     .arena = &turn->arena,
                                     .session = turn->session,
                                     .turn = turn->name,
                                     .cancel_fd = turn->cancel_fd};
    *out = turn;
    return FAULT_OK;
}

void turn_free(struct turn *turn)
{
    while (turn->watchers) {
        struct watcher *watcher = turn->watchers;

        turn->watchers = watcher->next;
        free(watcher);
    }
    place_leave(turn->place);
    agents_give(turn->turns->options.agents, turn->agent);
    close(turn->cancel_fd);
    pthread_mutex_destroy(&turn->lock);
    buf_clear(&turn->text);
    buf_clear(&turn->reasoning);
    arena_clear(&turn->arena);
    free(turn);
}

bool turn_is_cancelled(struct turn *turn)
{
    bool cancelled;

    pthread_mutex_lock(&turn->turns->lock);
    cancelled = turn->cancelled;
    pthread_mutex_unlock(&turn->turns->lock);
    return cancelled;
}

void turn_cancel(struct turn *turn)
{
    uint64_t one = 1;

    if (turn->cancelled)
        return;
    turn->cancelled = true;
    if (write(turn->cancel_fd, &one, sizeof(one)) != sizeof(one))
        abort(); /* a counter of its own cannot be full */
}

enum fault_code turn_watch(struct turn *turn, turn_asked *asked, turn_done *done, void *context,
                           struct fault *fault)
{
    struct watcher *watcher;

    if (!done)
        return FAULT_OK;
    if (turn->watcher_count >= TURN_WATCHERS_MAX)
        return fault_set(fault, FAULT_TOO_MANY, "the turn was joined %d times; that is the limit",
                         TURN_WATCHERS_MAX);
    watcher = calloc(1, sizeof(*watcher));
    if (!watcher)
        abort();
    *watcher = (struct watcher){turn->watchers, asked, done, context};
    turn->watchers = watcher;
    turn->watcher_count++;
    return FAULT_OK;
}

static void tell_done(struct turn *turn, enum run_state state, const struct fault *fault)
{
    if (turn->done)
        turn->done(turn->context, state, fault);
    for (struct watcher *watcher = turn->watchers; watcher; watcher = watcher->next)
        watcher->done(watcher->context, state, fault);
}

void turn_tell_and_free(struct turn *list, enum run_state state)
{
    while (list) {
        struct turn *turn = list;

        list = turn->next;
        tell_done(turn, state, state == RUN_FAILED ? &turn->fault : NULL);
        turn_free(turn);
    }
}
