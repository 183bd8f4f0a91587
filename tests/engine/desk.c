#include "desk.h"

#include "agent/scripted/scripted.h"
#include "message/message_in.h"
#include "message/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct agent_kind *kinds(void)
{
    static struct agent_kind table[2];

    table[0] = agent_scripted;
    return table;
}

void desk_turns(struct desk *desk, int running_max)
{
    struct turns_options options = {.engine = desk->talk.rig.engine,
                                    .agents = desk->agents,
                                    .workspaces = desk->workspaces,
                                    .home = desk->talk.rig.directory,
                                    .running_max = running_max,
                                    .queued_max = 3};

    CHECK_OK(turns_open(&options, &desk->turns, &desk->talk.fault), &desk->talk.fault);
}

void desk_open(struct desk *desk, const char *script, int running_max)
{
    struct agent_def def = {.name = STR("test/actor"),
                            .kind = STR("scripted"),
                            .script = str_of(script),
                            .is_default = true,
                            .fixed = true};
    struct create_spec spec = {.title = STR("T"), .agent = STR("test/actor")};
    struct workspaces_options workspaces;
    struct session session;

    memset(desk, 0, sizeof(*desk));
    talk_open(&desk->talk, &rig_kinds[rig_kind_count - 1], 1);
    workspaces = (struct workspaces_options){.engine = desk->talk.rig.engine,
                                             .home = desk->talk.rig.directory};
    pthread_mutex_init(&desk->ends.lock, NULL);
    pthread_cond_init(&desk->ends.more, NULL);
    desk->agents = agents_new(desk->talk.rig.store, kinds());
    CHECK_OK(agents_fix(desk->agents, &def, &desk->talk.fault), &desk->talk.fault);
    CHECK_OK(agents_load(desk->agents, &desk->talk.fault), &desk->talk.fault);
    spec.owner = desk->talk.rig.owner;
    CHECK_OK(
        engine_create(desk->talk.rig.engine, &spec, &desk->talk.arena, &session, &desk->talk.fault),
        &desk->talk.fault);
    desk->session = session.id;
    CHECK_OK(workspaces_open(&workspaces, &desk->workspaces, &desk->talk.fault), &desk->talk.fault);
    desk_turns(desk, running_max);
}

void desk_close(struct desk *desk)
{
    assert_true(turns_close(desk->turns, 5000));
    workspaces_close(desk->workspaces);
    agents_free(desk->agents);
    pthread_cond_destroy(&desk->ends.more);
    pthread_mutex_destroy(&desk->ends.lock);
    talk_close(&desk->talk);
}

void desk_ended(void *context, enum run_state state, const struct fault *fault)
{
    struct ticket *ticket = context;
    struct ends *ends = ticket->ends;

    pthread_mutex_lock(&ends->lock);
    ends->who[ends->count] = ticket->who;
    ends->states[ends->count] = state;
    snprintf(ends->reasons[ends->count], FAULT_MESSAGE_MAX, "%s", fault ? fault->message : "");
    ends->count++;
    pthread_cond_broadcast(&ends->more);
    pthread_mutex_unlock(&ends->lock);
}

void desk_wait(struct desk *desk, int count)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&desk->ends.lock);
    while (desk->ends.count < count)
        if (pthread_cond_timedwait(&desk->ends.more, &desk->ends.lock, &until) != 0)
            break;
    pthread_mutex_unlock(&desk->ends.lock);
    assert_int_equal(desk->ends.count, count);
}

enum fault_code desk_send(struct desk *desk, struct str session, const char *text, int who,
                          enum turn_busy busy, struct turn_begun *out)
{
    struct entry_spec entry = message_of_text(ROLE_USER, str_of(text), &desk->talk.arena);
    struct turn_cmd cmd = {.owner = desk->talk.rig.owner,
                           .session = session,
                           .entries = &entry,
                           .count = 1,
                           .busy = busy};

    desk->tickets[who] = (struct ticket){&desk->ends, who};
    return turns_send(desk->turns, &cmd, &desk->talk.arena, out, desk_ended, &desk->tickets[who],
                      &desk->talk.fault);
}

void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};

    nanosleep(&time, NULL);
}

enum run_state desk_state(struct desk *desk)
{
    return talk_session(&desk->talk, desk->session).turn_state;
}

const char *desk_said(struct desk *desk, struct str session)
{
    struct gathered got = talk_history(&desk->talk, session, false);
    struct str all = STR_NONE;

    for (size_t i = 0; i < got.count; i++)
        all = arena_printf(&desk->talk.arena, "%.*s%s%.*s", STR_ARG(all), i ? " " : "",
                           STR_ARG(parts_text(got.entries[i].body, &desk->talk.arena)));
    return all.p;
}

struct str desk_session(struct desk *desk)
{
    struct create_spec spec = {.owner = desk->talk.rig.owner, .agent = STR("test/actor")};
    struct session session;

    CHECK_OK(
        engine_create(desk->talk.rig.engine, &spec, &desk->talk.arena, &session, &desk->talk.fault),
        &desk->talk.fault);
    return session.id;
}
